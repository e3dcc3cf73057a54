import { organizationId } from '../api/organization.ts'
import { CopyButton } from '../parts/copy-button.tsx'
import { setParams } from '../state/route.ts'

type EmptyStateProps = {
  readonly title: string
  readonly text: string
  /** Commands that create records. */
  readonly commands: readonly string[]
  readonly isFiltered: boolean
}

const addAddress = (command: string): string => {
  const organization = organizationId.value === undefined ? '' : ` --organization ${organizationId.value}`
  return command.startsWith('wabakit ') ? `${command} --server ${location.origin}${organization}` : command
}

/** Shows advice for an empty list. */
export const EmptyState = ({ title, text, commands, isFiltered }: EmptyStateProps) => {
  if (isFiltered) {
    const clear = (): void =>
      setParams(
        Object.fromEntries([...new URLSearchParams(location.search).keys()].map((key) => [key, undefined])),
      )
    return (
      <div class="empty">
        <h2>No matches</h2>
        <p>No record matches all of these filters.</p>
        <button type="button" class="button" onClick={clear}>
          Clear the filters
        </button>
      </div>
    )
  }
  return (
    <div class="empty">
      <h2>{title}</h2>
      <p>{text}</p>
      <ol class="commands">
        {commands.map(addAddress).map((command) => (
          <li key={command}>
            <code>{command}</code>
            <CopyButton text={command} label="Copy the command" />
          </li>
        ))}
      </ol>
    </div>
  )
}
