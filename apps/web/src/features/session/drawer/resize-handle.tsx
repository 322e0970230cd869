interface ResizeHandleProps {
  readonly width: number;
  readonly onWidth: (width: number) => void;
}

const stepPx = 32;

/** A separator that moves by drag or arrow keys. */
export const ResizeHandle = ({ width, onWidth }: ResizeHandleProps) => (
  <div
    role="separator"
    aria-orientation="vertical"
    aria-label="Width of the drawer"
    aria-valuenow={width}
    aria-valuemin={320}
    tabIndex={0}
    onPointerDown={(event) => {
      event.preventDefault();
      event.currentTarget.setPointerCapture(event.pointerId);
    }}
    onPointerMove={(event) => {
      if (event.currentTarget.hasPointerCapture(event.pointerId))
        onWidth(window.innerWidth - event.clientX);
    }}
    onKeyDown={(event) => {
      if (event.key === 'ArrowLeft') onWidth(width + stepPx);
      if (event.key === 'ArrowRight') onWidth(width - stepPx);
    }}
    className="absolute inset-y-0 -left-1 z-10 w-2 cursor-col-resize touch-none transition-colors hover:bg-accent/30 focus-visible:bg-accent/50 focus-visible:outline-none max-xl:hidden"
  />
);
