/**
 * Draws a task as a branch that leaves the base and asks to come back. The columns of the list below are 240 units wide, so each
 * commit is above its step.
 */
export const BranchDrawing = () => (
  <svg
    viewBox="0 0 960 72"
    aria-hidden
    className="mb-3 hidden w-full overflow-visible @2xl:block"
    fill="none"
    strokeWidth="2"
  >
    <path d="M9 18H960" className="stroke-line-strong" />
    <path d="M9 18C9 42 25 56 57 56H729" className="stroke-accent" />
    <path d="M729 56H866C906 56 922 44 922 22" strokeDasharray="5 5" className="stroke-accent" />
    <g className="fill-canvas stroke-accent">
      <circle cx="9" cy="18" r="5" />
      <circle cx="249" cy="56" r="5" />
      <circle cx="489" cy="56" r="5" />
    </g>
    <circle cx="729" cy="56" r="6" className="fill-accent" />
    <circle cx="922" cy="18" r="5" className="fill-canvas stroke-line-strong" />
    <g className="fill-faint font-mono text-[14px]">
      <text x="960" y="6" textAnchor="end">
        main
      </text>
      <text x="64" y="44">
        ship-fix-login
      </text>
    </g>
  </svg>
);
