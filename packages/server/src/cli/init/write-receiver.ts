import type { Framework } from './frameworks.ts'
import type { Project } from './read-project.ts'
import { handlers, writeMemory } from './receiver-parts.ts'
import type { Sender } from './senders.ts'
import { writeNestModule } from './write-nest-module.ts'

export type ReceiverChoices = {
  readonly sender: Sender
  /** Stores each webhook before the response. */
  readonly hasInbox: boolean
}

/** Writes the module with the receiver. */
export const writeReceiver = (
  { sender, hasInbox }: ReceiverChoices,
  { framework, project, isTyped }: { framework: Framework; project: Project; isTyped: boolean },
): string => {
  const memory = writeMemory(hasInbox, project)
  if (framework.isInjected) return writeNestModule({ sender, memory })
  const { name, imports, database, option } = memory
  const names = ['createReceiver', name, sender.verifier].toSorted().join(', ')
  const setup = hasInbox ? `export const database = ${database}\n\n` : ''
  const head = `${imports}import { ${names} } from 'wabakit/webhooks'\n\n${setup}`
  const create = (value: string): string =>
    `createReceiver({\n  verify: ${sender.verify(value)},\n  ${option('database')}\n})${handlers}`
  if (!framework.isLazy)
    return `${head}export const receiver = ${create(`process.env.${sender.variable} ?? ''`)}`
  const [parameter, type] = isTyped
    ? ['secret: string', ': ReturnType<typeof create> | undefined']
    : ['secret', '']
  return `${head}const create = (${parameter}) => ${create('secret')}
let receiver${type}
export const getReceiver = (${parameter}) => (receiver ??= create(secret))
`
}
