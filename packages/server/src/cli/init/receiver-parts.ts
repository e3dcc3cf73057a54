import type { Project } from './read-project.ts'

// An inbox keeps what has no handler, and handles it once there is one. A handler that only logs would end that.
const kept = `
  // An event with a missing or mistyped field, and one that this version does not know, is parked: a line says so, and
  // \`wabakit inbox list\` shows it. Handle them with .onDrift(({ name, issues, raw }) => …) and .onUnknown(({ name, raw }) => …).
  // What is parked is handled then.`
const logged = `
  // A field is missing, null or of another type: read what you need from \`raw\`, whose fields are unknown. Without this handler,
  // such an event gets 422, and is lost if the sender does not repeat it.
  .onDrift(({ name, issues, raw }) => {
    console.warn('drifted', name, issues, JSON.stringify(raw))
  })
  // An event that this version does not know: handle it, or leave it logged.
  .onUnknown(({ name, raw }) => {
    console.warn('unknown', name, JSON.stringify(raw))
  })`

/** Writes the handlers of a new receiver. */
export const writeHandlers = (hasInbox: boolean): string => `
  .on('CALL_ENDED', (event) => {
    console.log(event.event, event.callId)
  })
  .on('CALL_AI_SUMMARY', (event) => {
    console.log(event.event, event.callId, event.summary.recap)
  })${hasInbox ? kept : logged}
`

/** The table of tests, which must neither handle nor count what a running process has stored. */
const testTable = 'wabakit_inbox_test'

/** The parts of the code that remembers deliveries, in an inbox or a dedupe store. */
export type Memory = {
  /** The function of `wabakit/webhooks` that creates it. */
  readonly name: string
  readonly imports: string
  /** Set if the database is a pool of connections. */
  readonly pool?: true
  /** The code that opens the database. */
  readonly database: string
  /** Returns the option of the receiver, given the code that reads the database. */
  option(database: string): string
  /** The database as an argument of a command. */
  readonly shown?: string
  /** The calls on the database at the end of a test. `close` is also for the end of the process. */
  readonly clean?: string
  readonly close?: string
}

export const writeMemory = (hasInbox: boolean, { dependencies }: Project): Memory => {
  if (!hasInbox)
    return {
      name: 'memoryDedupe',
      imports: '',
      database: '',
      option: () => `// Several processes need a shared dedupe store: redisDedupe, sqlDedupe or sqlInbox.
  dedupe: memoryDedupe(),`,
    }
  const inbox =
    '// Each webhook is stored before it is answered, and handled once the receiver has started.\n  inbox:'
  return dependencies.has('pg')
    ? {
        name: 'sqlInbox',
        imports: "import { Pool } from 'pg'\n",
        pool: true,
        database: 'new Pool({ connectionString: process.env.DATABASE_URL })',
        option: (database) =>
          `${inbox} sqlInbox(${database}, {
    // Tests have a table of their own.
    table: process.env.NODE_ENV === 'test' ? '${testTable}' : 'wabakit_inbox',
  }),`,
        shown: '"$DATABASE_URL"',
        clean: `query('DROP TABLE IF EXISTS ${testTable}')`,
        close: 'end()',
      }
    : {
        name: 'sqlInbox',
        imports: "import { DatabaseSync } from 'node:sqlite'\n",
        database: "new DatabaseSync(process.env.NODE_ENV === 'test' ? ':memory:' : 'webhooks.db')",
        shown: 'webhooks.db',
        option: (database) => `${inbox} sqlInbox(${database}, { dialect: 'sqlite' }),`,
        close: 'close()',
      }
}
