// Blocking and first in the page, so that a dark page never flashes white. Keep in sync with src/features/theme/theme.ts.
(() => {
  // Schemas are built while modules load; without this zod probes `new Function`, which the
  // Content-Security-Policy reports as a violation on every visit.
  // oxlint-disable-next-line no-underscore-dangle -- the name is zod's
  globalThis.__zod_globalConfig = { jitless: true };

  let choice = null;
  try {
    choice = localStorage.getItem('ship.theme');
  } catch {
    // Storage may be denied; follow the system theme then.
  }
  const dark =
    choice === 'dark' || (choice !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.classList.toggle('dark', dark);
  document
    .querySelector('meta[name="theme-color"]')
    ?.setAttribute('content', dark ? '#0e1013' : '#fbfcfd');
})();
