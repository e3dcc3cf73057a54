import type { ComponentChildren } from 'preact'

type FactsProps = {
  /** Facts by name. Facts without a value are not shown. */
  readonly facts: Readonly<Record<string, ComponentChildren>>
  /** Shows the facts side by side instead of one per line. */
  readonly isInline?: boolean
}

export const Facts = ({ facts, isInline = false }: FactsProps) => (
  <dl class={`facts ${isInline ? 'inline' : ''}`}>
    {Object.entries(facts)
      .filter(([, value]) => value !== null && value !== undefined && value !== '' && value !== false)
      .map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
  </dl>
)
