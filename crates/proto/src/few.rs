//! A map for a handful of entries.

/// A map for a handful of entries, most often none or one: it owns no memory then. A session is idle most of the time, and
/// the maps of the standard library keep their last node; and most sessions that are not idle run one call.
///
/// Newcomers mostly have the greatest key so far; then adding one is as cheap as with a vector.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Few<K, V>(Entries<K, V>);

/// The entries, in the order of their keys.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Entries<K, V> {
    AtMostOne(Option<(K, V)>),
    /// At least two, so that equal maps are equal.
    Several(Vec<(K, V)>),
}

impl<K: Ord, V> Few<K, V> {
    /// No entries.
    pub(crate) const fn new() -> Self {
        Self(Entries::AtMostOne(None))
    }

    const fn entries(&self) -> &[(K, V)] {
        match &self.0 {
            Entries::AtMostOne(entry) => entry.as_slice(),
            Entries::Several(entries) => entries.as_slice(),
        }
    }

    /// Where the entry is, or where it would be.
    fn find(&self, key: &K) -> Result<usize, usize> {
        match self.entries() {
            [] => Err(0),
            entries @ [.., (last, _)] if last < key => Err(entries.len()),
            entries => entries.binary_search_by(|(one, _)| one.cmp(key)),
        }
    }

    /// The value of this key.
    pub(crate) fn get(&self, key: &K) -> Option<&V> {
        self.find(key).ok().and_then(|index| self.entries().get(index)).map(|(_, value)| value)
    }

    /// Whether this key has a value.
    pub(crate) fn contains(&self, key: &K) -> bool {
        self.find(key).is_ok()
    }

    /// Adds an entry, unless the key has a value already. Whether it was added.
    pub(crate) fn add(&mut self, key: K, value: V) -> bool {
        let Err(index) = self.find(&key) else { return false };
        match &mut self.0 {
            Entries::AtMostOne(one) => match one.take() {
                None => *one = Some((key, value)),
                Some(other) => {
                    let mut entries = vec![other];
                    entries.insert(index, (key, value));
                    self.0 = Entries::Several(entries);
                }
            },
            Entries::Several(entries) => entries.insert(index, (key, value)),
        }
        true
    }

    /// Takes an entry out.
    pub(crate) fn remove(&mut self, key: &K) -> Option<V> {
        let index = self.find(key).ok()?;
        match &mut self.0 {
            Entries::AtMostOne(one) => one.take().map(|(_, value)| value),
            Entries::Several(entries) => {
                let (_, value) = entries.remove(index);
                if entries.len() < 2 {
                    self.0 = Entries::AtMostOne(entries.pop());
                }
                Some(value)
            }
        }
    }

    /// The entries, in the order of their keys.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&K, &V)> {
        self.entries().iter().map(|(key, value)| (key, value))
    }

    /// How many there are.
    pub(crate) const fn len(&self) -> usize {
        self.entries().len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    /// Every order in which four keys can come and go, against the map of the standard library.
    #[test]
    fn it_is_a_map_and_owns_nothing_while_it_has_at_most_one_entry() {
        fn explore(few: &Few<u8, u32>, map: &BTreeMap<u8, u32>, depth: u32) {
            assert!(few.iter().eq(map.iter()));
            assert_eq!(few.len(), map.len());
            assert_eq!(few.len() > 1, matches!(few.0, Entries::Several(_)));
            if depth == 0 {
                return;
            }
            for key in 0..4 {
                assert_eq!((few.get(&key), few.contains(&key)), (map.get(&key), map.contains_key(&key)));
                let (mut more, mut more_map) = (few.clone(), map.clone());
                assert_eq!(more.add(key, depth), !map.contains_key(&key));
                more_map.entry(key).or_insert(depth);
                explore(&more, &more_map, depth - 1);
                let (mut less, mut less_map) = (few.clone(), map.clone());
                assert_eq!(less.remove(&key), less_map.remove(&key));
                explore(&less, &less_map, depth - 1);
            }
        }
        explore(&Few::new(), &BTreeMap::new(), 5);
    }
}
