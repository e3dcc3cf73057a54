import type { TimelineEntry } from '@wabakit/server/control-types'

const signs = { duplicate: '2×', reordered: '⇄', overtaken: '⇢', gap: '∅' } as const

/** Signs for what is unusual about an entry. */
export const MarkSign = ({ marks }: { readonly marks: TimelineEntry['marks'] }) => (
  <>
    {marks.map(({ kind, text }) => (
      <span key={kind} class="mark" role="img" aria-label={text} title={text}>
        {signs[kind]}
      </span>
    ))}
  </>
)
