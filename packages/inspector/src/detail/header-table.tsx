type HeaderTableProps = {
  readonly headers: Readonly<Record<string, string>>
  /** Headers whose values are secret. */
  readonly hidden?: readonly string[]
}

export const HeaderTable = ({ headers, hidden = [] }: HeaderTableProps) => (
  <dl class="headers">
    {Object.entries(headers).map(([name, value]) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </div>
    ))}
    {hidden.map((name) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd class="hint">secret, never shown</dd>
      </div>
    ))}
  </dl>
)
