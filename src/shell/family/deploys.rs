//! Tools that change something outside the project: containers, clouds, clusters, databases, forges.
//! Their subcommand says whether they only look.

use super::Kind;
use super::call::{Call, checked, directory, plain, split_first, subcommand};
use super::goal::kind_of;

/// Reads the command of a tool that reaches out of the project.
pub(super) fn deploy_tool(program: &str, args: &[&str]) -> Option<Call> {
    let (first, rest) = split_first(args);
    Some(match program {
        "docker" | "podman" | "docker-compose" => docker(program, args),
        "terraform" | "tofu" | "pulumi" | "cdk" | "sls" | "serverless" => match first {
            "validate" => checked(Kind::Lint, "terraform validate", rest),
            "fmt" => checked(Kind::Format, "terraform fmt", rest),
            "show" | "output" | "state" | "providers" | "graph" | "version" => {
                plain(Kind::Search, program, args)
            }
            _ => checked(Kind::Deploy, &format!("{program} {first}"), rest),
        },
        "kubectl" | "helm" => match first {
            "get" | "describe" | "logs" | "top" | "explain" | "version" | "config" | "auth"
            | "diff" | "list" | "status" | "search" | "history" => {
                plain(Kind::Search, program, args)
            }
            "exec" | "port-forward" | "attach" | "proxy" => plain(Kind::Run, program, args),
            _ => plain(Kind::Deploy, &format!("{program} {first}"), rest),
        },
        // Called with nothing to do, it deploys.
        "vercel" if first.is_empty() || first.starts_with('-') => {
            plain(Kind::Deploy, program, args)
        }
        "vercel" | "netlify" | "fly" | "flyctl" | "wrangler" | "firebase" | "eb" | "heroku"
        | "railway" => plain(kind_of(first), program, args),
        "gh" | "glab" => forge(program, args),
        "aws" | "gcloud" | "az" | "gsutil" => cloud(program, args),
        "prisma" | "supabase" | "drizzle-kit" | "diesel" | "sqlx" | "alembic" | "flyway"
        | "knex" | "typeorm" | "sequelize" | "sequelize-cli" | "dbmate" | "goose" | "liquibase" => {
            database(program, args)
        }
        "ansible-playbook" | "rsync" | "scp" | "twine" | "goreleaser" | "fastlane" => {
            plain(Kind::Deploy, program, args)
        }
        _ => return None,
    })
}

fn docker(program: &str, args: &[&str]) -> Call {
    let (tool, rest) = match (program, args) {
        ("docker-compose", _) => ("docker compose", args),
        (_, ["compose", rest @ ..]) => ("docker compose", rest),
        _ => ("docker", args),
    };
    let (sub, rest) = subcommand(rest, &["-f", "--file", "-p", "--project-name", "--profile"]);
    let tool = format!("{tool} {sub}");
    match sub {
        "build" | "buildx" => {
            // What it is called does not matter.
            let (_, rest) = directory(rest, &["-t", "--tag"]);
            checked(Kind::Build, &tool, &rest)
        }
        "push" | "up" | "deploy" => plain(Kind::Deploy, &tool, rest),
        "pull" => plain(Kind::Install, &tool, rest),
        "ps" | "logs" | "images" | "inspect" => plain(Kind::Search, &tool, rest),
        _ => plain(Kind::Run, &tool, rest),
    }
}

/// `gh pr create`, `glab mr merge`, `gh run watch`.
fn forge(program: &str, args: &[&str]) -> Call {
    match args {
        ["pr" | "mr", "checks", ..] | ["run" | "ci", ..] => plain(Kind::Ci, program, args),
        // What the words are does not matter: another try says the same in others.
        [
            noun @ ("pr" | "mr" | "release" | "issue" | "repo"),
            verb @ ("create" | "merge"),
            ..,
        ] => plain(Kind::Deploy, &format!("{program} {noun} {verb}"), &[]),
        // The same by its address.
        ["api", rest @ ..] if rest.iter().any(|a| a.ends_with("/merge")) => {
            plain(Kind::Deploy, &format!("{program} pr merge"), &[])
        }
        _ => plain(Kind::Other, program, args),
    }
}

fn cloud(program: &str, args: &[&str]) -> Call {
    let looks = |word: &&str| {
        let verb = word.split('-').next().unwrap_or(word);
        matches!(
            verb,
            "ls" | "list" | "describe" | "get" | "show" | "head" | "tail" | "wait" | "logs"
        )
    };
    let words = without_options(args);
    match words.iter().take(4).any(looks) {
        true => plain(Kind::Search, program, args),
        false => plain(Kind::Deploy, program, words.get(..3).unwrap_or(&words)),
    }
}

/// Tools that bring a database to another version, and what they do besides.
fn database(program: &str, args: &[&str]) -> Call {
    let changes = |word: &&str| {
        let verb = word.rsplit(':').next().unwrap_or(word);
        matches!(
            verb,
            "push"
                | "upgrade"
                | "downgrade"
                | "up"
                | "update"
                | "latest"
                | "reset"
                | "deploy"
                | "apply"
        ) || word
            .split([':', '-'])
            .any(|w| matches!(w, "migrate" | "migration"))
    };
    let words = without_options(args);
    match words.iter().take(3).any(changes) {
        true => plain(Kind::Deploy, program, &words),
        false => plain(Kind::Run, program, args),
    }
}

fn without_options<'a>(args: &[&'a str]) -> Vec<&'a str> {
    args.iter()
        .copied()
        .filter(|a| !a.starts_with('-'))
        .collect()
}
