import { Command } from 'commander'
import manifest from '../../package.json' with { type: 'json' }
import { getCommandPath, InputRefusedError, nameInputs } from './name-inputs.ts'

type Module = { define(command: Command): void }
type CommandEntry = readonly [name: string, summary: string, load: () => Promise<Module>]

/** Loads the commands of every resource. They share a module, because one table defines them. */
const resource = () => import('./resource.ts')
const documents = () => import('./documents.ts')

const groups: Readonly<Record<string, readonly CommandEntry[]>> = {
  'Start:': [
    ['serve', 'run a server until SIGTERM or SIGINT (the default command)', () => import('./serve.ts')],
    ['exec', 'run a command with a temporary server', () => import('./exec.ts')],
    ['mock', 'run the mock for tests in any language', () => import('./mock.ts')],
    ['init', 'write a receiver and a test into a project', () => import('./init.ts')],
    ['ready', 'check whether a server is ready, or wait until it is', () => import('./ready.ts')],
  ],
  'Try it out:': [
    ['trigger', 'simulate a call, or publish one event', () => import('./trigger.ts')],
    ['listen', 'forward the events of a running server to a local URL', () => import('./listen.ts')],
    ['capture', 'record the webhooks that arrive through a tunnel', () => import('./capture.ts')],
    ['replay', 'send recorded webhooks again, in order', () => import('./replay.ts')],
    ['faults', 'make requests to the public API fail (serve --sandbox)', resource],
  ],
  'See what happened:': [
    ['overview', 'show how each endpoint has been doing', () => import('./overview.ts')],
    ['search', 'find records by an id, a number or a text', () => import('./search.ts')],
    ['inspect', 'open the inspector in a browser', () => import('./inspect.ts')],
    ['calls', 'list calls, or show one from first ring to summary', resource],
    ['groups', 'list groups, show one, or add a participant', resource],
    ['customers', 'show what is stored about a customer', resource],
    ['events', 'list, show or follow events (events tail)', resource],
    ['deliveries', 'list, show, resend, retry or cancel deliveries', resource],
    ['requests', 'list requests of the public API', resource],
    ['inbox', "list, show, retry or discard what a receiver's inbox stored", () => import('./inbox.ts')],
    ['resend', 'the same as deliveries resend', () => import('./change-deliveries.ts')],
  ],
  'Manage a server:': [
    ['org', 'create, list, show, update or remove organizations', resource],
    ['number', 'add, list, show, update or remove numbers', resource],
    ['key', 'create, list or remove API keys', resource],
    ['subscription', 'manage, test or repair webhook subscriptions', resource],
    ['backup', 'copy the SQLite file while the server is running', () => import('./backup.ts')],
    ['erase', 'erase a call, a customer or an organization', () => import('./erase.ts')],
    [
      'migrate-database',
      'copy all data from a SQLite file to an empty PostgreSQL database',
      () => import('./migrate-database.ts'),
    ],
  ],
  'Check an integration:': [
    ['doctor', 'attack a webhook endpoint, and report what it does wrong', () => import('./doctor.ts')],
    ['probe', 'ask a live service where services differ', () => import('./probe.ts')],
    ['check', 'compare received bodies with the contract', () => import('./check.ts')],
    ['sign', 'sign a payload and print the webhook headers', () => import('./sign.ts')],
    ['verify', 'verify the signature of a payload, and explain a mismatch', () => import('./verify.ts')],
  ],
  'Documents:': [
    ['openapi', 'print the OpenAPI 3.1 document of the two endpoints', documents],
    ['asyncapi', 'print the AsyncAPI 3 document of the webhooks', documents],
    ['schemas', 'print the JSON Schemas of all requests, responses and events', documents],
  ],
}

const completion = ['complete', 'print a script that completes commands in a shell'] as const

const programFlags = ['--help', '-h', '--version', '-V']

/** Returns the command named by the arguments: `serve` if there are none, or they start with one of its flags. */
const findCommandName = ([first = 'serve', second]: readonly string[]): string | undefined => {
  if (first === 'help') return second
  return first.startsWith('-') && !programFlags.includes(first) ? 'serve' : first
}

/** Lets a usage error name the help of its command, and the variable of an option that is missing. */
const explainUsage = (command: Command): void => {
  command.showHelpAfterError(`(see ${getCommandPath(command)} --help)`).configureOutput({
    outputError: (text, write) => {
      const flags = /required option '(.+)' not specified/.exec(text)?.[1]
      const variable = command.options.find((option) => option.flags === flags)?.envVar
      write(variable === undefined ? text : text.replace(/\n/, `. Pass it, or set ${variable}.\n`))
    },
  })
  for (const inner of command.commands) explainUsage(inner)
}

/** Creates the program. Loads only the command that the arguments name or complete; the others are only listed in the help. */
export const createProgram = async (args: readonly string[]): Promise<Command> => {
  const program = new Command('wabakit')
    .description('A server for the WhatsApp group and call-summary API, and tools for integrating it')
    .version(manifest.version)
    .enablePositionalOptions()
    .configureHelp({
      // Omits "[options]", because every command has them.
      subcommandTerm: (command) =>
        `${command.name()} ${command.usage().replace('[options]', '').trim()}`.trim(),
    })
    .addHelpText(
      'after',
      '\nExamples:\n  $ wabakit serve\n  $ wabakit trigger call\n  $ wabakit deliveries list --status pending,exhausted\n\nExit codes: 0 success, 1 failure, 2 usage error, 3 server unreachable,\n4 inconclusive (doctor).',
    )
    .exitOverride()
  const selected = findCommandName(args)
  const isCompleting = selected === completion[0]
  // The script of a shell asks with `complete -- deliveries list --st`.
  const completed = isCompleting ? args[args.indexOf('--') + 1] : undefined
  for (const [group, commands] of Object.entries(groups)) {
    for (const [name, summary, load] of commands) {
      const isDefault = name === 'serve' && name === selected
      const command = program.command(name, { isDefault }).description(summary).helpGroup(group)
      if (name === selected || name === completed) (await load()).define(command)
    }
  }
  if (isCompleting) (await import('./complete.ts')).defineCompletion(program)
  else program.command(completion[0]).description(completion[1]).helpGroup('Start:')
  explainUsage(program)
  return program
}

/** Runs the command that the arguments name. */
export const runProgram = async (args: readonly string[]): Promise<void> => {
  const program = await createProgram(args)
  let running: Command = program
  program.hook('preAction', (_, command) => {
    running = command
  })
  try {
    await program.parseAsync(args, { from: 'user' })
  } catch (error) {
    throw error instanceof InputRefusedError ? nameInputs(error, running) : error
  }
}
