import { organizationId } from '../api/organization.ts'
import { Button } from '../components/button.tsx'
import { CopyButton } from '../components/copy-button.tsx'
import { apiUrl, isTrace } from '../state/route.ts'
import type { ListDefinition } from './list-definition.ts'

/**
 * Adds the server and the organization to a command of `wabakit`. `npx` finds the program even if it is not
 * installed, for example because the server runs in a container.
 */
const completeCommand = (command: string): string => {
  const [, rest] = /^wabakit (.*)/.exec(command) ?? []
  const organization = organizationId.value === undefined ? '' : ` --organization ${organizationId.value}`
  return rest === undefined ? command : `npx @wabakit/server ${rest} --server ${apiUrl}${organization}`
}

/** A command, and a button that copies it. Lines break only between words, not at hyphens. */
export const Command = ({ command }: { readonly command: string }) => {
  const text = completeCommand(command)
  return (
    <>
      <code>{text.split(' ').flatMap((word) => [<span>{word}</span>, ' '])}</code>
      <CopyButton text={text} label="Copy the command" />
    </>
  )
}

type EmptyStateProps = ListDefinition<never>['empty'] & { readonly add?: ListDefinition<never>['add'] }

export const EmptyState = ({ title, text, add, commands }: EmptyStateProps) => (
  <div class="empty">
    <h2>{title}</h2>
    {!isTrace && (
      <>
        <p>{text}</p>
        {add && (
          <p>
            <Button kind="primary" icon="add" onClick={add.run}>
              {add.label}
            </Button>
          </p>
        )}
        <ol class="commands">
          {commands.map((command) => (
            <li key={command}>
              <Command command={command} />
            </li>
          ))}
        </ol>
      </>
    )}
  </div>
)
