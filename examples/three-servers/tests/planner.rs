//! Plans, with three servers and with two.

use std::path::PathBuf;
use std::process::Command;

type Outcome = Result<(), Box<dyn std::error::Error>>;

const TOWN: &str = env!("CARGO_BIN_EXE_town");

/// What the planner prints, and what it says.
fn plan(file: &str, city: &str) -> Result<(String, String), Box<dyn std::error::Error>> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_three-servers"));
    let output = command.args([file, city]).env("TOWN", TOWN).output()?;
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Ok((String::from_utf8(output.stdout)?, String::from_utf8(output.stderr)?))
}

#[test]
fn a_plan_needs_all_three_servers() -> Outcome {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/servers.json");
    let (plan, said) = plan(file, "Oslo")?;
    assert_eq!(plan, "weather in Oslo: snow, -3 \u{b0}C\nnext train: 07:10\npaid 80, left: 20\n", "{said}");
    Ok(())
}

#[test]
fn what_costs_too_much_is_not_paid_and_an_unknown_city_is_told() -> Outcome {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/servers.json");
    let (rome, _) = plan(file, "Rome")?;
    assert!(rome.ends_with("a ticket is 240, and there are 100\n"), "{rome}");
    let (atlantis, said) = plan(file, "Atlantis")?;
    assert!(atlantis.starts_with("weather in Atlantis: unknown\nnext train: unknown\n"), "{atlantis}");
    assert!(said.contains("weather: the tool failed: no station in Atlantis"), "{said}");
    Ok(())
}

#[test]
fn a_server_that_is_not_there_is_missed_and_nothing_else() -> Outcome {
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("two-servers.json");
    let two = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/servers.json"))?
        .replace(r#""${TOWN:-../../target/debug/town}", "args": ["trains"]"#, r#""no-such-server""#);
    std::fs::write(&file, two)?;
    let (plan, said) = plan(file.to_str().ok_or("no text")?, "Oslo")?;
    assert!(plan.contains("snow") && plan.contains("next train: unknown"), "{plan}");
    assert!(said.contains("trains: ") && said.contains("no-such-server"), "{said}");
    Ok(())
}
