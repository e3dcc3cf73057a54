import { Command } from 'commander'
import manifest from '../../package.json' with { type: 'json' }

type CommandEntry = {
  readonly name: string
  readonly summary: string
  load(): Promise<{ define(command: Command): void }>
}

const commands: readonly CommandEntry[] = [
  {
    name: 'serve',
    summary: 'run a server until SIGTERM or SIGINT (the default command)',
    load: () => import('./serve.ts'),
  },
  {
    name: 'exec',
    summary: 'run a command with a temporary server',
    load: () => import('./exec.ts'),
  },
  {
    name: 'trigger',
    summary: 'simulate a call, or publish one event',
    load: () => import('./trigger.ts'),
  },
  {
    name: 'listen',
    summary: 'forward the events of a running server to a local URL',
    load: () => import('./listen.ts'),
  },
  {
    name: 'events',
    summary: 'print events and delivery attempts (events tail)',
    load: () => import('./events-tail.ts'),
  },
  {
    name: 'resend',
    summary: 'resend one delivery or a selection of deliveries',
    load: () => import('./resend.ts'),
  },
  {
    name: 'key',
    summary: 'create an API key (key create)',
    load: () => import('./key.ts'),
  },
  {
    name: 'erase',
    summary: 'erase a call, a customer or an organization',
    load: () => import('./erase.ts'),
  },
  {
    name: 'sign',
    summary: 'sign a payload and print the webhook headers',
    load: () => import('./sign.ts'),
  },
  {
    name: 'verify',
    summary: 'verify the signature of a payload, and explain a mismatch',
    load: () => import('./verify.ts'),
  },
  {
    name: 'doctor',
    summary: 'attack a webhook endpoint, and report what it does wrong',
    load: () => import('./doctor.ts'),
  },
  {
    name: 'acceptance',
    summary: 'examine a server: does it do what the specification says?',
    load: () => import('./acceptance.ts'),
  },
  {
    name: 'openapi',
    summary: 'print the OpenAPI 3.1 document of the two endpoints',
    load: () => import('./documents.ts'),
  },
  {
    name: 'asyncapi',
    summary: 'print the AsyncAPI 3 document of the webhooks',
    load: () => import('./documents.ts'),
  },
  {
    name: 'schemas',
    summary: 'print the JSON Schemas of all requests, responses and events',
    load: () => import('./documents.ts'),
  },
  {
    name: 'ready',
    summary: 'check whether a server is ready, or wait until it is',
    load: () => import('./ready.ts'),
  },
  {
    name: 'migrate-database',
    summary: 'copy all data from a SQLite file to an empty PostgreSQL database',
    load: () => import('./migrate-database.ts'),
  },
]

const programFlags = ['--help', '-h', '--version', '-V']

/** Returns the command that the arguments name: `serve` if they begin with one of its flags. */
const findCommandName = ([first = 'serve', second]: readonly string[]): string | undefined => {
  if (first === 'help') return second
  return first.startsWith('-') && !programFlags.includes(first) ? 'serve' : first
}

/** Creates the program. Only the command that the arguments name is loaded; the others are only listed in the help. */
export const createProgram = async (args: readonly string[]): Promise<Command> => {
  const program = new Command('wabakit')
    .description('A server for the WhatsApp group and call-summary API, and tools for integrating it')
    .version(manifest.version)
    .enablePositionalOptions()
    .showHelpAfterError('(see wabakit --help)')
    .addHelpText('after', '\nExit codes: 0 success, 1 failure, 2 usage error, 3 server unreachable.')
    .exitOverride()
  const selected = findCommandName(args)
  for (const { name, summary, load } of commands) {
    const isDefault = name === 'serve' && name === selected
    const command = program.command(name, { isDefault }).description(summary)
    if (name === selected) (await load()).define(command)
  }
  return program
}
