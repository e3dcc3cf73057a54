import type { Framework } from './frameworks.ts'
import type { Project } from './read-project.ts'
import type { Sender } from './senders.ts'

export type ReceiverChoices = {
  readonly sender: Sender
  /** Stores each webhook before the response. */
  readonly hasInbox: boolean
}

const handlers = `
  .on('CALL_AI_SUMMARY', (event) => {
    console.log(event.callId, event.summary.recap)
  })
  .on('GROUP_CREATED', (event) => {
    console.log(event.groupId)
  })
`

/** Code that remembers deliveries: the imports, what comes before the receiver, and the option. */
const writeMemory = (hasInbox: boolean, { dependencies }: Project) => {
  if (!hasInbox)
    return {
      name: 'memoryDedupe',
      imports: '',
      setup: '',
      option: `// Several processes need a shared dedupe store: redisDedupe, sqlDedupe or sqlInbox.
  dedupe: memoryDedupe(),`,
    }
  const option =
    '// Each webhook is stored before it is answered, and handled after receiver.start().\n  inbox:'
  return dependencies.has('pg')
    ? {
        name: 'sqlInbox',
        imports: "import { Pool } from 'pg'\n",
        setup: 'const database = new Pool({ connectionString: process.env.DATABASE_URL })\n\n',
        option: `${option} sqlInbox(database),`,
      }
    : {
        name: 'sqlInbox',
        imports: "import { DatabaseSync } from 'node:sqlite'\n",
        setup:
          "// Tests have a database of their own.\nconst database = new DatabaseSync(process.env.NODE_ENV === 'test' ? ':memory:' : 'webhooks.db')\n\n",
        option: `${option} sqlInbox(database, { dialect: 'sqlite' }),`,
      }
}

/** Writes the module with the receiver. */
export const writeReceiver = (
  { sender, hasInbox }: ReceiverChoices,
  { framework, project, isTyped }: { framework: Framework; project: Project; isTyped: boolean },
): string => {
  const { name, imports, setup, option } = writeMemory(hasInbox, project)
  const names = ['createReceiver', name, sender.verifier].toSorted().join(', ')
  const head = `${imports}import { ${names} } from 'wabakit/webhooks'\n\n${setup}`
  const create = (value: string): string =>
    `createReceiver({\n  verify: ${sender.verify(value)},\n  ${option}\n})${handlers}`
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
