import type { ComponentChildren } from 'preact'

type PartProps = { readonly title: string; readonly none: string; readonly children: ComponentChildren[] }

/** A titled list, or a sentence if it is empty. */
export const Part = ({ title, none, children }: PartProps) => (
  <section class="faults" aria-label={title}>
    <h2>{title}</h2>
    {children.length === 0 ? <p class="quiet">{none}</p> : <ul>{children}</ul>}
  </section>
)
