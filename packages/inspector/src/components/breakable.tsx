type BreakableProps = { readonly text: string }

/** An address or the name of an event. A narrow place breaks it after slashes and underscores rather than within words. */
export const Breakable = ({ text }: BreakableProps) => (
  <>
    {text.split(/(?<=[/_])/).map((part, index) => (
      <>
        {index > 0 && <wbr />}
        {part}
      </>
    ))}
  </>
)
