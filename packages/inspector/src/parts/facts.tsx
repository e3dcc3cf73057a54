import type { ComponentChildren } from 'preact'

export type Fact = readonly [name: string, value: ComponentChildren]

/** Facts about a record. Those without a value are left out. */
export const Facts = ({ facts }: { readonly facts: readonly Fact[] }) => (
  <dl class="facts">
    {facts
      .filter(([, value]) => value !== null && value !== undefined && value !== '')
      .map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
  </dl>
)
