//! Hash of numbers that is the same on every machine and in every version of the program.

/// Mixes `word` into `sum`; every bit of both changes about half of the bits of the result.
#[inline]
pub(crate) const fn mix(sum: u64, word: u64) -> u64 {
    let mut x = (sum ^ word).wrapping_add(0x9e37_79b9_7f4a_7c15);
    x = (x ^ x >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93);
    x = (x ^ x >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93);
    x ^ x >> 32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_and_every_bit_matter() {
        let sum = |words: &[u64]| words.iter().fold(0, |sum, &word| mix(sum, word));
        assert_ne!(sum(&[1, 2]), sum(&[2, 1]));
        assert_ne!(sum(&[0]), sum(&[0, 0]));
        for bit in 0..64 {
            let changed = (sum(&[1 << bit]) ^ sum(&[0])).count_ones();
            assert!((10..55).contains(&changed), "bit {bit}: {changed}");
        }
    }
}
