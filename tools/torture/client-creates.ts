import { ConnectionError, createClient, OutcomeUnknownError, ServerError } from '@wabakit/client'
import { runSql } from './postgres-sql.ts'

/**
 * The result of a create as reported by the client. The error for an unknown outcome contains the id, unless ids are
 * off.
 */
type Outcome = { readonly said: 'created' | 'not created' | 'unknown'; readonly groupId: string | undefined }

/** The creates of one client, and their results. */
export type ClientCreates = {
  /** Creates one group without a `groupId`, with a unique subject. */
  create(): Promise<void>
  /** Compares the client's reports with the database. */
  check(address: string): Promise<{ readonly failures: string[]; readonly done: string }>
}

/** Options for {@link startClientCreates}. */
export type ClientCreatesOptions = {
  readonly url: () => string
  readonly apiKey: string
  readonly wabaNumber: string
  readonly generateGroupIds: boolean
}

const countGroups = `SELECT g.subject, count(*)::integer AS groups, min(g.client_custom_group_id) AS id
  FROM wabakit.groups g WHERE starts_with(g.subject, $1) GROUP BY g.subject`

/** Starts creating groups with the real client and its default retries. */
export const startClientCreates = (options: ClientCreatesOptions): ClientCreates => {
  const { url, apiKey, wabaNumber, generateGroupIds } = options
  const prefix = generateGroupIds ? 'with an id ' : 'without an id '
  const outcomes = new Map<string, Outcome>()
  let count = 0

  const createOne = async (subject: string): Promise<Outcome> => {
    const client = createClient({ baseUrl: url(), apiKey, generateGroupIds })
    try {
      const { groupId } = await client.groups.create({ wabaNumber, subject })
      return { said: 'created', groupId }
    } catch (error) {
      if (error instanceof OutcomeUnknownError) return { said: 'unknown', groupId: error.groupId }
      const isUnchanged = error instanceof ServerError && error.code === 'storage_unavailable'
      if (isUnchanged || error instanceof ConnectionError) return { said: 'not created', groupId: undefined }
      throw error
    }
  }

  return {
    create: async () => {
      const subject = `${prefix}${count++}`
      outcomes.set(subject, await createOne(subject))
    },
    check: async (address) => {
      const rows = await runSql(address, countGroups, [prefix])
      const found = new Map(rows.map(({ subject, ...row }) => [subject, row]))
      const select = (isChosen: (outcome: Outcome, groups: number, id: unknown) => boolean): string[] =>
        [...outcomes].flatMap(([subject, outcome]) => {
          const { groups = 0, id } = found.get(subject) ?? {}
          return isChosen(outcome, Number(groups), id) ? [subject] : []
        })
      const broken = {
        'two groups for one create': select((_, groups) => groups > 1),
        'reported as created, but missing': select(({ said }, groups) => said === 'created' && groups === 0),
        'reported as not created, but present': select(
          ({ said }, groups) => said === 'not created' && groups > 0,
        ),
        'present under a different id': select(
          ({ groupId }, groups, id) => groups === 1 && groupId !== undefined && groupId !== id,
        ),
        'outcome unknown, without an id': select(
          ({ said, groupId }) => said === 'unknown' && generateGroupIds && groupId === undefined,
        ),
      }
      const unknown = select(({ said }) => said === 'unknown')
      const there = unknown.filter((subject) => found.has(subject))
      return {
        failures: Object.entries(broken)
          .filter(([, subjects]) => subjects.length > 0)
          .map(([rule, subjects]) => `${rule}: ${subjects.length}, such as ${subjects[0]}`),
        done: `${outcomes.size} creates ${prefix.trim()}: ${select(({ said }) => said === 'created').length} created, ${unknown.length} unknown (${there.length} present), ${select(({ said }) => said === 'not created').length} not created`,
      }
    },
  }
}
