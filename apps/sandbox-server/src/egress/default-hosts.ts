/** The hosts that a coding agent needs to install packages and read code. Owners extend the list. */
export const DEFAULT_ALLOWED_HOSTS: readonly string[] = [
  // npm
  'registry.npmjs.org',
  'registry.yarnpkg.com',
  'nodejs.org',
  // PyPI
  'pypi.org',
  'files.pythonhosted.org',
  // Debian
  'deb.debian.org',
  'security.debian.org',
  // GitHub
  'github.com',
  'api.github.com',
  'codeload.github.com',
  'raw.githubusercontent.com',
  'objects.githubusercontent.com',
  'release-assets.githubusercontent.com',
  'media.githubusercontent.com',
];

/** Excludes 22 on purpose: git over ssh would need a key, and no key belongs in a sandbox. */
export const DEFAULT_ALLOWED_PORTS: readonly number[] = [80, 443];
