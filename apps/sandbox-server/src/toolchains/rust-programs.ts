/** `cargo`, `rustc` and related programs inside: rustup's proxies, with a home that the sandbox can write to. */
import { INSIDE_TOOLCHAINS } from './types.ts';

export const RUST_PROGRAMS = [
  ...(['cargo', 'cargo-clippy', 'cargo-fmt', 'cargo-miri', 'clippy-driver'] as const),
  ...(['rust-analyzer', 'rust-gdb', 'rust-lldb', 'rustc', 'rustdoc', 'rustfmt', 'rustup'] as const),
];

/**
 * rustup finds the machine's toolchains by links in its home, and can install others beside them. A rename puts the
 * settings there: concurrent calls must not read a partial file.
 */
export const RUST_PROXY = `#!/bin/bash
export RUSTUP_HOME="\${RUSTUP_HOME:-$HOME/.rustup}"
toolchains=$RUSTUP_HOME/toolchains
for toolchain in ${INSIDE_TOOLCHAINS}/rust/*; do
  if [ ! -e "$toolchains/\${toolchain##*/}" ]; then
    mkdir -p "$toolchains" && ln -sfn "$toolchain" "$toolchains/\${toolchain##*/}"
  fi
done
if [ ! -e "$RUSTUP_HOME/settings.toml" ]; then
  cp ${INSIDE_TOOLCHAINS}/rustup/settings.toml "$RUSTUP_HOME/settings.toml.$$" &&
    mv "$RUSTUP_HOME/settings.toml.$$" "$RUSTUP_HOME/settings.toml"
fi
exec -a "\${0##*/}" ${INSIDE_TOOLCHAINS}/rustup/rustup "$@"
`;

/** Generated, not copied: the owner's file lists the folders that have overrides. */
export const rustupSettings = (defaultToolchain: string): string =>
  `version = "12"\ndefault_toolchain = "${defaultToolchain}"\nprofile = "minimal"\n\n[overrides]\n`;
