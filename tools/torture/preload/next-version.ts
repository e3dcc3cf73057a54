/**
 * Turns the server into the next version: an additional schema step expands most tables, and functions use the new
 * columns.
 */
import { editSources } from './edit-sources.ts'

const expansion = [
  ...[
    'organizations',
    'groups',
    'calls',
    'summaries',
    'subscriptions',
    'unfinished_deliveries',
    'deliveries',
    'attempts',
  ].map((table) => `ALTER TABLE wabakit.${table} ADD COLUMN region text NOT NULL DEFAULT 'eu'`),
  `ALTER TABLE wabakit.events ADD COLUMN written_by text NOT NULL DEFAULT 'previous'`,
  'CREATE INDEX deliveries_of_region ON wabakit.deliveries (region, subscription)',
].join(';')

editSources({
  '/stores/postgres/schema.ts': [
    // After the last step, which is the last line of the file.
    ['\n]\n', `\n{ sql: ${JSON.stringify(expansion)} }]\n`],
  ],
  '/stores/postgres/functions/events.ts': [
    ['INSERT INTO wabakit.events (position,', 'INSERT INTO wabakit.events (written_by, position,'],
    ['SELECT e.position,', `SELECT 'next', e.position,`],
  ],
})
