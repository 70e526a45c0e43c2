"""Tests that stand in the file that they test come after its code, unless they are asked for."""

from __future__ import annotations

from helpers_main import block, symbols

RUST = """/// The address of a peer and its scope.
pub fn peer_address(text: &str) -> Peer {
    Peer { address: text.trim() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_the_scope_of_a_peer_address() {
        assert_eq!(peer_address("fe80::1%2").address, "fe80::1%2");
    }
}
"""


def test_an_inline_test_comes_after_the_code_unless_it_is_asked_for(git_repo):
    others = ''.join(f'pub fn other_{number}(text: &str) -> usize {{\n    {number}\n}}\n\n' for number in range(20))
    root = git_repo({'src/peer.rs': RUST, 'src/other.rs': others})
    said = 'address of a peer has a scope'
    assert [unit.symbol for unit in block(root, said).units][:1] == ['peer_address']
    assert symbols(root, f'test: {said}, in the tests')[0] == 'tests.keeps_the_scope_of_a_peer_address'
