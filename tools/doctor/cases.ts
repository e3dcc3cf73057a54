import type { CheckResult } from '@wabakit/conformance'
import type { ProgramName } from './programs.ts'

/** A program, correct or with one of its flaws, and the finding that its report must contain. */
export type Case = {
  readonly program: ProgramName
  /** The program's behavior, which completes "an endpoint that …". */
  readonly what: string
  readonly environment: Readonly<Record<string, string>>
  /** The id and verdict of the check that detects its mistake; `undefined` if it is correct. */
  readonly named?: { readonly id: string; readonly verdict: CheckResult['verdict'] }
}

/**
 * The program's behavior by the value of FLAW, and the check whose title names that mistake. The verdict is `fail` unless
 * stated otherwise.
 */
type Flaws = Readonly<Record<string, readonly [what: string, id: string, verdict?: CheckResult['verdict']]>>

const flaws: Partial<Record<ProgramName, Flaws>> = {
  'wsgi.py': {
    serializes: ['verifies the body after parsing and serializing it', 'accepts-body-bytes-as-sent'],
    'latin-1': ['decodes bodies as Latin-1', 'refuses-invalid-utf8'],
    milliseconds: ['also accepts times in milliseconds', 'refuses-malformed-timestamp', 'advice'],
    float: ['accepts every number that Python can parse as a time', 'refuses-malformed-timestamp', 'advice'],
    'prints digest': ['responds with the expected digest in hexadecimal', 'keeps-secrets-out-of-answers'],
    'short ids': ['remembers 24 characters of an id', 'handles-ids-that-begin-alike'],
    UUIDs: ['stores callIds as UUIDs', 'accepts-genuine'],
    '64 characters': ['stores callIds in a column of 64 characters', 'handles-unusual-ids'],
    UTC: ['reads times only in UTC', 'handles-unusual-summaries'],
    'one event': ['accepts one event of each call', 'handles-what-it-accepts'],
    'case-blind ids': ['ignores case in ids', 'handles-what-it-accepts'],
    pattern: ['takes only letters, digits and hyphens in groupIds', 'handles-unusual-group-ids'],
    ASCII: ['stores texts in ASCII', 'keeps-every-letter'],
  },
  'asyncio_server.py': {
    'lower-case names': ['verifies only under lower-case names', 'refuses-forgery-in-any-header-case'],
    'exact names': ['finds headers only under lower-case names', 'accepts-any-header-case'],
    'gives up': ['stops its work when the sender hangs up', 'handles-retry-after-hang-up-once'],
    'first request': ['handles the first request of a connection', 'handles-each-request-of-a-connection'],
    'no chunks': ['does not decode chunked bodies', 'accepts-split-body'],
    endless: ['never ends its responses', 'responds-in-time'],
  },
  'config.ru': {
    to_i: ['signs the parsed timestamp', 'refuses-rewritten-timestamp', 'advice'],
    'include?': ['looks for the signature anywhere in the header', 'refuses-other-version'],
    'missing secret': ['treats a missing variable as a secret', 'refuses-empty-secret'],
    seconds: ['accepts one event of a kind in each second', 'handles-what-it-accepts'],
    downcase: ['ignores case in callIds', 'handles-what-it-accepts'],
    'looks up first': ['stores the id before it verifies', 'survives-forged-claim'],
  },
  'webrick.rb': {
    'one row per event': ['accepts each event of a call once', 'survives-repeated-not-picked'],
  },
  'index.php': {
    strncmp: ['compares only as many characters as it receives', 'refuses-truncated-signature'],
    'prints warnings': ['prints PHP warnings in its responses', 'keeps-stacks-out-of-answers'],
    'old events': ['does not verify one event', 'refuses-wrong-secret', 'advice'],
    'ten minutes': ['has a tolerance of ten minutes', 'refuses-stale-timestamp'],
    'state of the call': ['replaces the recap by the latest event', 'keeps-summary-after-late-event'],
  },
  'main.go': {
    'token in query': ['accepts the secret in the query', 'refuses-secret-in-query'],
    int: ['parses the duration as an integer', 'accepts-body-bytes-as-sent'],
    'full queue': ['drops deliveries that its queue cannot hold', 'survives-burst'],
    'load, then store': ['looks up the id before it stores it', 'handles-concurrent-duplicates-once'],
    'no limit': ['reads bodies of any size', 'refuses-oversized-body'],
    slash: ['redirects to the path with a slash', 'does-not-redirect'],
  },
  'callbacks.js': {
    'shared variable': ['keeps its response in a shared variable', 'survives-concurrent-deliveries'],
    'hundred ids': ['remembers a hundred ids', 'handles-late-duplicate-once'],
    null: ['reads a field of null', 'refuses-json-other-than-object'],
    'five seconds': ['has a tolerance of five seconds', 'tolerates-clock-difference'],
    numbers: ['reads callIds as numbers where it can', 'handles-unusual-ids'],
    'parses the URL': ['parses the URL without catching errors', 'survives-malformed-request-line'],
    'joins texts': ['decodes each chunk separately', 'accepts-split-body'],
    'JSON only': ['verifies only bodies that are JSON by their type', 'refuses-unsigned'],
    'two processes': ['has two processes with separate memories', 'handles-duplicate-once'],
  },
  'express.js': {
    every: ['requires that every signature matches', 'refuses-empty-signature'],
    merges: ['merges events into an object', 'survives-prototype-keys'],
    'SQL text': ['writes texts into its SQL', 'handles-unusual-summaries'],
    'fails late': ['responds 500 after it has handled a summary', 'accepts-genuine'],
    'one type': ['knows one spelling of the content type', 'accepts-json-with-charset'],
    'small limit': ['limits bodies to 2 kB', 'accepts-every-event'],
    'test mode': ['verifies nothing with ?debug=true', 'refuses-wrong-secret'],
    'secret as text': ['does not decode the secret', 'accepts-genuine', 'inconclusive'],
  },
}

const correct: readonly Case[] = [
  { program: 'webrick.rb', what: 'handles summaries after 3 s', environment: { DELAY: '3' } },
  { program: 'express.js', what: 'runs behind a proxy that adds 300 ms', environment: { DELAY_MS: '300' } },
  { program: 'callbacks.js', what: 'becomes slower', environment: { STYLE: 'tires' } },
  { program: 'wsgi.py', what: 'runs on waitress', environment: {} },
  { program: 'asyncio_server.py', what: 'keeps connections alive', environment: { STYLE: 'length' } },
  { program: 'asyncio_server.py', what: 'responds in chunks', environment: { STYLE: 'chunked' } },
  { program: 'asyncio_server.py', what: 'speaks HTTP/1.0', environment: { STYLE: 'close' } },
  { program: 'config.ru', what: 'runs on puma', environment: {} },
  { program: 'webrick.rb', what: 'responds 202', environment: {} },
  { program: 'index.php', what: 'has four processes', environment: { PHP_CLI_SERVER_WORKERS: '4' } },
  { program: 'main.go', what: 'uses the first of repeated headers', environment: {} },
  { program: 'main.go', what: 'acknowledges forgeries', environment: { STYLE: 'acknowledges' } },
  { program: 'callbacks.js', what: 'uses callbacks', environment: {} },
  { program: 'express.js', what: 'responds with JSON', environment: {} },
]

const listFlawed = (program: ProgramName): Case[] =>
  Object.entries(flaws[program] ?? {}).map(([flaw, [what, id, verdict = 'fail']]) => ({
    program,
    what,
    environment: { FLAW: flaw },
    named: { id, verdict },
  }))

/** All cases of the trial. */
export const cases: readonly Case[] = [
  ...correct,
  ...Object.keys(flaws).flatMap((program) => listFlawed(program as ProgramName)),
]
