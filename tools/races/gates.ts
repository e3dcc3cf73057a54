import { functions } from '../../packages/server/src/stores/postgres/functions/index.ts'

/** The effects of a statement that other sessions can notice. Names are tables and kinds of advisory locks. */
export type Footprint = {
  readonly reads: ReadonlySet<string>
  readonly inserts: ReadonlySet<string>
  /** Tables in which it updates, deletes or locks rows. */
  readonly changes: ReadonlySet<string>
  readonly locks: ReadonlySet<string>
  readonly shares: ReadonlySet<string>
}

/** A point where a session waits until it is released. */
export type Gate = {
  readonly label: string
  /** `commit`: the footprint of all statements in the transaction. */
  readonly footprint: Footprint | 'commit'
}

/**
 * Functions without a gate, because they only take locks, which count where they are called, or are part of a statement.
 */
const parts = new Set(['lock_all', 'share_all', 'limit_lock_wait', 'is_alive', 'find_lost_shards'])

/** Schema-qualified names that are not tables. */
const noTables = /^(?:clock_ms|lock_key|lane_of|shard_of|event_positions)$/

/** The tables from which an EXECUTE deletes rows. */
const owned = ['events', 'participants', 'groups', 'calls', 'summaries', 'summary_marks']

/** Returns SQL in the one spelling that the patterns below expect: lower case, one space, no comments, no quotes around names. */
const normalize = (sql: string): string =>
  sql
    .replaceAll(/('(?:[^']|'')*')|--.*|"(\w+)"/g, (_, text = '', name = '') => text + name)
    .replaceAll(/\s+/g, ' ')
    .toLowerCase()

const collect = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].flatMap(([, name]) => (name === undefined || noTables.test(name) ? [] : name))

/**
 * Returns a statement's footprint. Sequences and transaction ids are not transactional, so they count as locks.
 */
export const readFootprint = (statement: string, isPart: (name: string) => string = () => ''): Footprint => {
  const called = [...normalize(statement).matchAll(/\b(is_alive|find_lost_shards)\(/g)].map(([, name = '']) =>
    isPart(name),
  )
  const text = normalize([statement, ...called].join('\n')).replaceAll(/null::wabakit\.\w+/g, '')
  const tables = collect(text, /wabakit\.(\w+)/g)
  const inserts = collect(text, /insert into wabakit\.(\w+)/g)
  const changes = [
    ...collect(text, /(?:update|delete from) wabakit\.(\w+)/g),
    ...(/for (?:(?:no key )?update|key share)/.test(text) ? tables : []),
    ...(/do update/.test(text) ? inserts : []),
    ...(/wabakit\.%/.test(text) ? owned : []),
  ]
  const isWrite = inserts.length + changes.length > 0
  return {
    reads: new Set(tables),
    inserts: new Set(inserts),
    changes: new Set(changes),
    locks: new Set([
      ...collect(text, /lock_all\('(\w+)'/g),
      ...(/nextval|last_value/.test(text) ? ['the sequence'] : []),
      ...(/pg_current_snapshot/.test(text) ? ['the transactions'] : []),
    ]),
    shares: new Set([...collect(text, /share_all\('(\w+)'/g), ...(isWrite ? ['the transactions'] : [])]),
  }
}

const isEmpty = ({ reads, locks, shares }: Footprint): boolean => reads.size + locks.size + shares.size === 0

/** Splits a PL/pgSQL body into its statements. The head of an IF or a LOOP counts as one. */
const splitBody = (body: string): string[] => {
  const statements: string[] = []
  let depth = 0
  let start = 0
  for (const { 0: token, index } of body.matchAll(/'(?:[^']|'')*'|--.*|[();]|\w+/g)) {
    if (/^(?:\(|case)$/i.test(token)) depth++
    else if (token === ')' || (/^end$/i.test(token) && depth > 0)) depth--
    else if (depth === 0 && /^(?:;|then|else|loop)$/i.test(token)) {
      statements.push(body.slice(start, index + token.length))
      start = index + token.length
    }
  }
  return [...statements, body.slice(start)]
}

export type SteppedFunctions = {
  /** The functions of the store, with a gate before each statement that others can notice. */
  readonly sql: string
  readonly gates: Gate[]
}

/** A mistake in the SQL functions: `find`, which occurs once, is replaced by `replace`. */
export type Mistake = { readonly name: string; readonly find: string; readonly replace: string }

/** Adds gates to the store's functions, with or without a mistake. */
export const addGates = (mistake?: Mistake): SteppedFunctions => {
  const text = mistake === undefined ? functions : functions.split(mistake.find).join(mistake.replace)
  if (mistake !== undefined && functions.split(mistake.find).length !== 2) {
    throw new Error(`"${mistake.name}" cannot be planted: its text does not occur once.`)
  }
  const definitions = /CREATE FUNCTION (\w+)\([\s\S]*?(?:\$\$;|\n\);)/gi
  const sources = new Map(
    [...text.matchAll(definitions)].map(([definition, name = '']) => [name, definition]),
  )
  const gates: Gate[] = []
  const sql = text
    .replaceAll(definitions, (definition, name: string) => {
      const [head = '', body] = definition.split(/^BEGIN$/im)
      if (body === undefined || parts.has(name)) return definition
      const stepped = splitBody(body).map((statement) => {
        const [, space = '', rest = ''] = /^((?:\s|--.*\n)*)([\s\S]*)$/.exec(statement) ?? []
        const footprint = readFootprint(rest, (part) => sources.get(part) ?? '')
        if (isEmpty(footprint)) return statement
        if (/^elsif/i.test(rest)) throw new Error(`There is no place for a gate before ${rest}`)
        gates.push({
          label: `${name} ${gates.length}: ${rest.replaceAll(/\s+/g, ' ').slice(0, 70)}`,
          footprint,
        })
        return `${space}PERFORM race.gate(${gates.length - 1}); ${rest}`
      })
      return `${head}BEGIN${stepped.join('')}`
    })
    .replaceAll(/CREATE FUNCTION/gi, 'CREATE OR REPLACE FUNCTION')
    // Even on a slow machine, no order may take longer than the lock timeout.
    .replace("'lock_timeout', '1s'", "'lock_timeout', '1min'")
  return { sql, gates }
}

const meet = (left: ReadonlySet<string>, right: ReadonlySet<string>): boolean => {
  for (const each of left) if (right.has(each)) return true
  return false
}

/** A step. If it commits, its footprint includes the transaction's writes and locks. */
export type Step = { readonly footprint: Footprint; readonly isCommit: boolean }

const affects = (one: Footprint, { footprint, isCommit }: Step): boolean =>
  meet(footprint.locks, one.locks) ||
  meet(footprint.locks, one.shares) ||
  meet(footprint.shares, one.locks) ||
  meet(footprint.changes, one.changes) ||
  meet(footprint.inserts, one.inserts) ||
  (isCommit &&
    (meet(footprint.inserts, one.reads) ||
      meet(footprint.changes, one.reads) ||
      meet(footprint.inserts, one.changes)))

/** Returns whether one of two steps can notice the other. Writes are invisible until they are committed. */
export const canConflict = (left: Step, right: Step): boolean =>
  affects(left.footprint, right) || affects(right.footprint, left)

/**
 * Returns whether the order of two steps can make a difference. Callers can see which of two transactions was committed
 * first.
 */
export const areDependent = (left: Step, right: Step): boolean =>
  (left.isCommit && right.isCommit) || canConflict(left, right)

/** Returns the combined footprint of several statements. */
export const unite = (footprints: readonly Footprint[]): Footprint => {
  const all = (kind: keyof Footprint) => new Set(footprints.flatMap((each) => [...each[kind]]))
  return {
    reads: all('reads'),
    inserts: all('inserts'),
    changes: all('changes'),
    locks: all('locks'),
    shares: all('shares'),
  }
}
