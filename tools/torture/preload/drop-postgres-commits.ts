/** Makes PostgreSQL lie: rolls back one in `WABAKIT_DROP_EVERY` changes, and reports it as committed. */
import pg from 'pg'
import { answer } from './answer.ts'

const every = Number(process.env.WABAKIT_DROP_EVERY)
const { query } = pg.Client.prototype
let changes = 0

const isChange = (statement: unknown): boolean =>
  typeof statement === 'object' &&
  statement !== null &&
  'text' in statement &&
  /\b(?:create_group|save_call|save_summar)/.test(String(statement.text))

const drop = async (ask: (...what: unknown[]) => Promise<unknown>, change: unknown[]): Promise<unknown> => {
  await ask('BEGIN')
  const result = await ask(...change)
  await ask('ROLLBACK')
  return result
}

const lyingQuery = function (this: pg.Client, ...parameters: unknown[]): Promise<unknown> {
  const ask = (...what: unknown[]): Promise<unknown> => Reflect.apply(query, this, what)
  return isChange(parameters[0]) && ++changes % every === 0 ? drop(ask, parameters) : ask(...parameters)
}
Object.assign(pg.Client.prototype, { query: lyingQuery })

answer({ dropped: () => Math.floor(changes / every) })
