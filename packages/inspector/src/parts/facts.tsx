import type { ComponentChildren } from 'preact'

export type Fact = readonly [name: string, value: ComponentChildren]

type FactsProps = {
  readonly facts: readonly Fact[]
  /** Shows the facts side by side rather than below each other. */
  readonly isInline?: boolean
}

/** Facts about a record. Those without a value are left out. */
export const Facts = ({ facts, isInline = false }: FactsProps) => (
  <dl class={`facts ${isInline ? 'inline' : ''}`}>
    {facts
      .filter(([, value]) => value !== null && value !== undefined && value !== '' && value !== false)
      .map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
  </dl>
)
