use proptest::prelude::*;
use serde_json::Value;

use super::*;

/// The whole text as a walk passes it.
fn walked(text: &str) -> Option<&str> {
    let mut walk = Walk::new(text, usize::MAX);
    let value = walk.value()?;
    walk.is_over().then(|| value.get())
}

/// The whole text as `serde_json` reads it.
fn read(text: &str) -> Option<&str> {
    serde_json::from_str::<&RawValue>(text).ok().map(RawValue::get)
}

#[test]
fn what_is_json_is_passed_and_nothing_else() {
    let json = [
        "0",
        "-0",
        "10",
        "-1.50e+2",
        "1E9",
        "0.5",
        "1e-400",
        "9999999999999999999999",
        "true",
        "false",
        "null",
        " \t\r\n null \n",
        r#""""#,
        r#""\"\\\/\b\f\n\r\t\u00e9\uD800""#,
        r#""exactly8""#,
        r#""日本\n日本""#,
        "[]",
        "{}",
        "[ ]",
        "{ }",
        "[1 , 2]",
        r#"{"a" : [ { } , [ [ ] ] ] , "a":1}"#,
        r#"{"\u0061":1}"#,
        "\"\u{7f}\u{80}\"",
    ];
    for text in json {
        assert_eq!(walked(text), Some(text.trim()), "{text}");
        assert_eq!(walked(text), read(text), "{text}");
    }
    let no_json = [
        "",
        " ",
        "00",
        "01",
        "-",
        "-a",
        "1.",
        ".5",
        "1.e3",
        "1e",
        "1e+",
        "+1",
        "tru",
        "truee",
        "nul",
        "nulL",
        "NaN",
        "'a'",
        "\"",
        "\"\\",
        r#""\x""#,
        r#""\u12g4""#,
        r#""\u123""#,
        "\"\n\"",
        "\"\0\"",
        "\"aaaaaaaaa\n\"",
        "[",
        "]",
        "[1",
        "[1,",
        "[1,]",
        "[,1]",
        "[1 2]",
        "{",
        "}",
        "{]",
        "[}",
        r#"{"a""#,
        r#"{"a":"#,
        r#"{"a":1"#,
        r#"{"a":1,"#,
        r#"{"a":1,}"#,
        "{1:1}",
        "{a:1}",
        r#"{"a" 1}"#,
        "1 2",
        "[]]",
        "\u{feff}1",
        "\u{a0}1",
        "/**/1",
        "[1]\u{b}",
    ];
    for text in no_json {
        assert_eq!((walked(text), read(text)), (None, None), "{text}");
    }
}

#[test]
fn a_long_string_ends_where_it_does() {
    for length in 0..300 {
        let plain = "é".repeat(length / 2) + &"a".repeat(length % 2);
        for rest in ["\"", "\\n\"", "\n\"", "\u{1f}\"", "\u{7f}\"", "\\", "", "\"1"] {
            let text = format!("\"{plain}{rest}");
            assert_eq!(walked(&text), read(&text), "{text}");
        }
    }
}

#[test]
fn an_object_is_gone_through_and_a_name_with_escapes_ends_it() {
    let names = |text: &'static str| {
        let (mut walk, mut names) = (Walk::new(text, 3), Vec::new());
        let whole = walk.object(|walk, name| {
            names.push((name, walk.value()?.get()));
            Some(())
        });
        whole.filter(|_| walk.is_over()).map(|whole| (whole.get(), names))
    };
    assert_eq!(names(" { } "), Some(("{ }", vec![])));
    let two = r#"{ "a" : [1, 2] ,"b":{"\u0061":0}}"#;
    assert_eq!(names(two), Some((two, vec![("a", "[1, 2]"), ("b", r#"{"\u0061":0}"#)])));
    for text in [r#"{"\u0061":1}"#, "[]", "7", r#"{"a":1}}"#, r#"{"a":1,}"#, r#"{"a":[[[]]]}"#, "{\"a\n\":1}"]
    {
        assert_eq!(names(text), None, "{text}");
    }
}

#[test]
fn a_member_that_is_not_passed_ends_the_walk() {
    assert!(Walk::new(r#"{"a":1}"#, 1).object(|_, _| Some(())).is_none());
}

#[test]
fn only_so_many_levels_are_entered() {
    let nested = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
    for (levels, allowed, is_passed) in
        [(3, 3, true), (4, 3, false), (128, 128, true), (129, 1000, false), (1, 0, false)]
    {
        let text = nested(levels);
        assert_eq!(Walk::new(&text, allowed).value().is_some(), is_passed, "{levels} of {allowed}");
        let object = text.replace(']', "}").replace('[', r#"{"":"#).replacen(r#"{"":}"#, "{}", 1);
        assert_eq!(Walk::new(&object, allowed).value().is_some(), is_passed, "{levels} of {allowed}");
    }
    // What was left may be entered again.
    let mut walk = Walk::new(r#"{"a":{"b":[]},"c":[[]]}"#, 3);
    let whole = walk.object(|walk, name| match name {
        "a" => walk.object(|walk, _| walk.value().map(drop)).map(drop),
        _ => walk.value().map(drop),
    });
    assert!(whole.is_some());
}

#[test]
fn a_lent_text_is_the_same_text() {
    let raw = lend(r#"{"a": 1}"#).expect("the type takes it");
    assert_eq!(raw.get(), r#"{"a": 1}"#);
}

/// Any JSON, deep and wide, with hard texts in it.
fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<bool>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
        "[\"\\\\/\u{0}-\u{20}a-z\u{7f}é日\u{10ffff}]{0,20}".prop_map(Value::from),
        Just(Value::Null),
    ];
    leaf.prop_recursive(6, 60, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::vec((".{0,9}", inner), 0..6)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// A text, with some of its characters taken out, doubled or changed for such as mean something.
fn spoilt(text: &str, changes: &[(prop::sample::Index, usize)]) -> String {
    const MEANING: [&str; 24] = [
        "\"", "\\", "{", "}", "[", "]", ":", ",", " ", "\n", "\t", "0", "9", "-", "+", ".", "e", "E", "u",
        "\\u", "\0", "\u{1f}", "é", "",
    ];
    let mut letters: Vec<String> = text.chars().map(String::from).collect();
    for (place, change) in changes {
        if letters.is_empty() {
            break;
        }
        let place = place.index(letters.len());
        match MEANING.get(*change) {
            Some(other) => letters[place] = (*other).to_owned(),
            None if *change % 2 == 0 => drop(letters.remove(place)),
            None => letters.insert(place, letters[place].clone()),
        }
    }
    letters.concat()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn a_walk_passes_what_the_parser_reads(
        value in any_json(),
        is_pretty in any::<bool>(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), 0..30_usize), 0..4),
    ) {
        let text = if is_pretty { format!("{value:#}") } else { value.to_string() };
        prop_assert_eq!(walked(&text), read(&text));
        let text = spoilt(&text, &changes);
        prop_assert_eq!(walked(&text), read(&text));
    }

    #[test]
    fn a_walk_passes_no_text_that_the_parser_does_not(text in "[\\[\\]{}:,\" 0-9.eE+\\-tfnulrase\\\\\u{0}é]{0,40}") {
        prop_assert_eq!(walked(&text), read(&text));
    }
}
