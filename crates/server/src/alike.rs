//! Values of which many are alike.

use std::sync::{Arc, Mutex, PoisonError, Weak};

/// How many different ones are known. Most servers have clients of few programs.
const KNOWN: usize = 16;

/// Gives values that are alike the same place, as long as somebody has it: a hundred thousand sessions of one program
/// need what is known of it once.
#[derive(Debug)]
pub(crate) struct Alike<T>(Mutex<Vec<Weak<T>>>);

impl<T> Default for Alike<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T: PartialEq> Alike<T> {
    /// A value like this one. The newest of those that differ are remembered.
    pub(crate) fn one(&self, value: T) -> Arc<T> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(alike) = known.iter().filter_map(Weak::upgrade).find(|known| **known == value) {
            return alike;
        }
        let value = Arc::new(value);
        known.retain(|known| known.strong_count() > 0);
        if known.len() >= KNOWN {
            known.remove(0);
        }
        known.push(Arc::downgrade(&value));
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_that_are_alike_have_one_place_as_long_as_somebody_has_it() {
        let alike = Alike::default();
        let first = alike.one("a".to_owned());
        assert!(Arc::ptr_eq(&first, &alike.one("a".to_owned())));
        let others: Vec<_> = (0..KNOWN).map(|number| alike.one(number.to_string())).collect();
        assert!(!Arc::ptr_eq(&first, &alike.one("a".to_owned())), "so many others have come since");
        assert_eq!(others.len(), KNOWN);
        drop(others);
        let _ = alike.one("b".to_owned());
        assert_eq!(alike.0.lock().expect("nobody panicked").len(), 1, "what nobody has is forgotten");
    }
}
