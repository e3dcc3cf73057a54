/** The code of a write on a server that only reads, such as a former primary. Every connection is then closed before its next use, and a new one looks for the primary. */
export const readOnly = '25006'

/** The code of a missing function. */
export const undefinedFunction = '42883'

export const missingFunctionMessage =
  'A SQL function of this version is missing: two other versions have been started on the database since, and only the functions of the last two are kept. Start the version again that the other processes run.'

const unreachable = 'PostgreSQL cannot be reached. Check whether it runs, its address, and the network.'
const refused = 'It refuses the connection. Check the role, its password and the name of the database.'
const io = 'Reading or writing a file failed. Check the disk of the database.'
const changed =
  'Its tables are not as the server created them. Undo what was changed by hand, or restore a backup.'
const stopping = 'It is starting or stopping.'
const locked =
  'A statement took too long. Find who holds the lock in pg_stat_activity, or what keeps the database busy.'

/** Explanations for the operator, by SQLSTATE (https://www.postgresql.org/docs/current/errcodes-appendix.html) or the code of Node.js. */
const remedies: ReadonlyMap<string, string> = new Map([
  [
    readOnly,
    'The server is read only: it is a standby, or no longer the primary, or default_transaction_read_only is on.',
  ],
  ['28000', refused],
  ['28P01', refused],
  ['3D000', refused],
  ['3F000', missingFunctionMessage],
  ['42501', 'The role lacks a privilege. Grant it all privileges on the tables in the schema wabakit.'],
  ['42703', changed],
  [undefinedFunction, missingFunctionMessage],
  ['42P01', changed],
  ['53100', 'The disk is full. Free some space.'],
  ['53200', 'There is not enough memory, or there are too many locks.'],
  ['53300', 'There are too many connections. Raise max_connections, or close some.'],
  ['55P03', locked],
  ['57014', locked],
  ['57P01', stopping],
  ['57P02', stopping],
  ['57P03', stopping],
  ['58030', io],
  ['P0001', 'A trigger refuses the change. Check the triggers of its tables.'],
  ['XX001', 'A table is damaged. Restore a backup.'],
  ['XX002', 'An index is damaged. Run REINDEX DATABASE.'],
  ['EAI_AGAIN', unreachable],
  ['ECONNREFUSED', unreachable],
  ['ECONNRESET', unreachable],
  ['EHOSTUNREACH', unreachable],
  ['ENETUNREACH', unreachable],
  ['ENOTFOUND', unreachable],
  ['ETIMEDOUT', unreachable],
])

/** Returns the remedy for a database failure; `undefined` for an error without a known one. */
export const findRemedy = (error: unknown): string | undefined => {
  const { code } = Object(error)
  if (typeof code !== 'string') return undefined
  // The class of violated integrity constraints.
  if (code.startsWith('23')) return 'A constraint refuses the change. Check the constraints of its tables.'
  return remedies.get(code)
}
