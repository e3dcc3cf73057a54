import { organizationId } from '../api/organization.ts'
import { CopyButton } from '../parts/copy-button.tsx'
import type { ListDefinition } from './list-definition.ts'

/** Adds the server and the organization to a command of `wabakit`. */
const completeCommand = (command: string): string => {
  const organization = organizationId.value === undefined ? '' : ` --organization ${organizationId.value}`
  return command.startsWith('wabakit ') ? `${command} --server ${location.origin}${organization}` : command
}

export const EmptyState = ({ title, text, commands }: ListDefinition<never>['empty']) => (
  <div class="empty">
    <h2>{title}</h2>
    <p>{text}</p>
    <ol class="commands">
      {commands.map(completeCommand).map((command) => (
        <li key={command}>
          <code>{command}</code>
          <CopyButton text={command} label="Copy the command" />
        </li>
      ))}
    </ol>
  </div>
)
