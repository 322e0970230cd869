interface LogoProps {
  readonly className?: string;
}

/** A hull, a sail and a commit. The same shapes as public/favicon.svg. */
export const Logo = ({ className }: LogoProps) => (
  <svg viewBox="0 0 32 32" aria-hidden className={className}>
    <rect width="32" height="32" rx="7.5" className="fill-brand" />
    <g fill="#fff">
      <path d="M13 5.5a12 12 0 0 1 12 12H13z" />
      <circle cx="8.75" cy="14.75" r="2.75" />
      <path d="M6 19.75h20a7 7 0 0 1-7 7h-6a7 7 0 0 1-7-7z" />
    </g>
  </svg>
);
