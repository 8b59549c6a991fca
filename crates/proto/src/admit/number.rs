//! Numbers that are equal although they are spelt differently.

/// The value of a JSON number: sign, significant digits without zeros around them, and the power of ten of the last.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Decimal {
    is_negative: bool,
    digits: Vec<u8>,
    exponent: i64,
}

impl Decimal {
    /// Reads a number as JSON spells it; exact, whatever its size.
    fn parse(text: &str) -> Option<Self> {
        let (is_negative, unsigned) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, exponent.parse::<i64>().ok()?),
            None => (unsigned, 0),
        };
        let (whole, fraction) = match mantissa.split_once('.') {
            Some((_, "")) => return None,
            Some(halves) => halves,
            None => (mantissa, ""),
        };
        let has_leading_zero = whole.len() > 1 && whole.starts_with('0');
        let mut digits: Vec<u8> = whole.bytes().chain(fraction.bytes()).collect();
        if whole.is_empty() || has_leading_zero || !digits.iter().all(u8::is_ascii_digit) {
            return None;
        }
        let mut exponent = exponent.checked_sub(i64::try_from(fraction.len()).ok()?)?;
        while digits.last() == Some(&b'0') {
            digits.pop();
            exponent = exponent.checked_add(1)?;
        }
        let zeros = digits.iter().take_while(|digit| **digit == b'0').count();
        digits.drain(..zeros);
        if digits.is_empty() {
            return Some(Self { is_negative: false, digits, exponent: 0 });
        }
        Some(Self { is_negative, digits, exponent })
    }
}

/// Whether two numbers, as JSON spells them, have the same value. What is no number equals nothing.
pub(super) fn are_equal(a: &str, b: &str) -> bool {
    match (Decimal::parse(a), Decimal::parse(b)) {
        (Some(a), Some(b)) => a == b,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // spec: R193
    #[test]
    fn numbers_are_compared_by_value_and_exactly() {
        for (a, b) in [
            ("42", "42.0"),
            ("42", "4.2e1"),
            ("42", "420E-1"),
            ("0", "-0.0"),
            ("0", "0e9"),
            ("9007199254740993", "9007199254740993.0"),
            ("1e400", "10e399"),
            ("-5", "-5.00"),
        ] {
            assert!(are_equal(a, b) && are_equal(b, a), "{a} {b}");
        }
        for (a, b) in [
            ("42", "43"),
            ("42", "-42"),
            ("42", "4.2"),
            ("42", "0x2A"),
            ("42", "+42"),
            ("42", "042"),
            ("42", "42."),
            ("42", "42 "),
            ("42", ""),
            ("5", ".5"),
            ("9007199254740993", "9007199254740992"),
            ("x", "x"),
            ("1", "10e-99999999999999999999"),
        ] {
            assert!(!are_equal(a, b) && !are_equal(b, a), "{a} {b}");
        }
    }
}
