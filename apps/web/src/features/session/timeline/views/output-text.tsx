/** The verbatim input or output of a program. */
export const OutputText = ({ label, text }: { readonly label: string; readonly text: string }) =>
  text === '' ? null : (
    <pre
      tabIndex={0}
      aria-label={label}
      className="max-h-80 overflow-auto rounded-lg border border-line bg-rail px-3 py-2 font-mono text-xs leading-5 break-words whitespace-pre-wrap"
    >
      {text}
    </pre>
  );
