//! A map for a handful of entries.

/// A map for a handful of entries, most often none: it owns no memory then. A session is idle most of the time, and the
/// maps of the standard library keep their last node.
///
/// Newcomers mostly have the greatest key so far; then adding one is as cheap as with a vector.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Few<K, V>(Vec<(K, V)>);

impl<K: Ord, V> Few<K, V> {
    /// No entries.
    pub(crate) const fn new() -> Self {
        Self(Vec::new())
    }

    /// Where the entry is, or where it would be.
    fn find(&self, key: &K) -> Result<usize, usize> {
        match self.0.last() {
            Some((last, _)) if last < key => Err(self.0.len()),
            Some(_) => self.0.binary_search_by(|(one, _)| one.cmp(key)),
            None => Err(0),
        }
    }

    /// The value of this key.
    pub(crate) fn get(&self, key: &K) -> Option<&V> {
        self.find(key).ok().and_then(|index| self.0.get(index)).map(|(_, value)| value)
    }

    /// Whether this key has a value.
    pub(crate) fn contains(&self, key: &K) -> bool {
        self.find(key).is_ok()
    }

    /// Adds an entry, unless the key has a value already. Whether it was added.
    pub(crate) fn add(&mut self, key: K, value: V) -> bool {
        let place = self.find(&key);
        if let Err(index) = place {
            self.0.insert(index, (key, value));
        }
        place.is_err()
    }

    /// Takes an entry out.
    pub(crate) fn remove(&mut self, key: &K) -> Option<V> {
        let index = self.find(key).ok()?;
        let (_, value) = self.0.remove(index);
        if self.0.is_empty() {
            self.0 = Vec::new();
        }
        Some(value)
    }

    /// The entries, in the order of their keys.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&K, &V)> {
        self.0.iter().map(|(key, value)| (key, value))
    }

    /// How many there are.
    pub(crate) const fn len(&self) -> usize {
        self.0.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    /// Every order in which four keys can come and go, against the map of the standard library.
    #[test]
    fn it_is_a_map_and_owns_nothing_when_it_is_empty() {
        fn explore(few: &Few<u8, u32>, map: &BTreeMap<u8, u32>, depth: u32) {
            assert!(few.iter().eq(map.iter()));
            assert_eq!(few.len(), map.len());
            assert!(few.len() > 0 || few.0.capacity() == 0);
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
