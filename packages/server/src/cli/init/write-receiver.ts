import type { Framework } from './frameworks.ts'
import type { Project } from './read-project.ts'
import { type Memory, writeHandlers, writeMemory } from './receiver-parts.ts'
import type { Sender } from './senders.ts'
import { writeNestModule } from './write-nest-module.ts'

export type ReceiverChoices = {
  readonly sender: Sender
  /** Stores each webhook before the response. */
  readonly hasInbox: boolean
}

/** Writes the variable that outlives an evaluation of the module. */
const writeKept = ({ pool }: Memory, isTyped: boolean): string => {
  const type = `${pool ? 'webhookPool?: Pool; ' : ''}stopWebhooks?: () => Promise<unknown>`
  return `// A development server evaluates this module again after an edit, in the same process.
const kept = globalThis${isTyped ? ` as { ${type} }` : ''}
`
}

const start = `
export const start = () => {
  // The receiver of the module before the edit still runs, with old handlers.
  void kept.stopWebhooks?.()
  kept.stopWebhooks = () => receiver.stop()
  receiver.start()
}
if (kept.stopWebhooks) start()
`

/** Writes the module with the receiver. */
export const writeReceiver = (
  { sender, hasInbox }: ReceiverChoices,
  { framework, project, isTyped }: { framework: Framework; project: Project; isTyped: boolean },
): string => {
  const memory = writeMemory(hasInbox, project)
  if (framework.isInjected) return writeNestModule({ sender, memory })
  const { name, imports, database, option } = memory
  const names = ['createReceiver', name, sender.verifier].toSorted().join(', ')
  const isRestarted = hasInbox && framework.start !== undefined
  const keep = isRestarted ? writeKept(memory, isTyped) : ''
  const opened =
    isRestarted && memory.pool
      ? `kept.webhookPool ??= ${database}\nexport const database = kept.webhookPool`
      : `export const database = ${database}`
  const setup = hasInbox ? `${keep}${opened}\n\n` : ''
  const head = `${imports}import { ${names} } from 'wabakit/webhooks'\n\n${setup}`
  const create = (value: string): string =>
    `createReceiver({\n  verify: ${sender.verify(value)},\n  ${option('database')}\n})${writeHandlers(hasInbox)}`
  if (!framework.isLazy)
    return `${head}export const receiver = ${create(`process.env.${sender.variable} ?? ''`)}${isRestarted ? start : ''}`
  const [parameter, type] = isTyped
    ? ['secret: string', ': ReturnType<typeof create> | undefined']
    : ['secret', '']
  return `${head}const create = (${parameter}) => ${create('secret')}
let receiver${type}
export const getReceiver = (${parameter}) => (receiver ??= create(secret))
`
}
