import { Command } from 'commander'
import manifest from '../../package.json' with { type: 'json' }

type CommandEntry = {
  readonly name: string
  readonly summary: string
  load(): Promise<{ define(command: Command): void }>
}

/** A resource of the control API. Its commands are in one table. */
const resource = (name: string, summary: string): CommandEntry => ({
  name,
  summary,
  load: () => import('./resource.ts'),
})

const groups: Readonly<Record<string, readonly CommandEntry[]>> = {
  'Start:': [
    {
      name: 'serve',
      summary: 'run a server until SIGTERM or SIGINT (the default command)',
      load: () => import('./serve.ts'),
    },
    { name: 'exec', summary: 'run a command with a temporary server', load: () => import('./exec.ts') },
    {
      name: 'init',
      summary: 'write a receiver and a test into a project',
      load: () => import('./init.ts'),
    },
    {
      name: 'ready',
      summary: 'check whether a server is ready, or wait until it is',
      load: () => import('./ready.ts'),
    },
  ],
  'Try it out:': [
    { name: 'trigger', summary: 'simulate a call, or publish one event', load: () => import('./trigger.ts') },
    {
      name: 'listen',
      summary: 'forward the events of a running server to a local URL',
      load: () => import('./listen.ts'),
    },
    resource('faults', 'make requests to the public API fail (serve --mock)'),
  ],
  'See what happened:': [
    { name: 'inspect', summary: 'open the inspector in a browser', load: () => import('./inspect.ts') },
    resource('calls', 'list calls, or show one from first ring to summary'),
    resource('groups', 'list groups, show one, or add a participant'),
    resource('events', 'list, show or follow events (events tail)'),
    resource('deliveries', 'list, show, resend, retry or cancel deliveries'),
    resource('requests', 'list requests of the public API'),
    {
      name: 'resend',
      summary: 'the same as deliveries resend',
      load: () => import('./change-deliveries.ts'),
    },
  ],
  'Manage a server:': [
    resource('org', 'create, list, show, update or remove organizations'),
    { name: 'number', summary: 'manage the numbers of an organization', load: () => import('./number.ts') },
    resource('key', 'create, list or remove API keys'),
    resource('subscription', 'manage, test or repair webhook subscriptions'),
    {
      name: 'backup',
      summary: 'copy the SQLite file while the server is running',
      load: () => import('./backup.ts'),
    },
    {
      name: 'erase',
      summary: 'erase a call, a customer or an organization',
      load: () => import('./erase.ts'),
    },
    {
      name: 'migrate-database',
      summary: 'copy all data from a SQLite file to an empty PostgreSQL database',
      load: () => import('./migrate-database.ts'),
    },
  ],
  'Check an integration:': [
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
      name: 'sign',
      summary: 'sign a payload and print the webhook headers',
      load: () => import('./sign.ts'),
    },
    {
      name: 'verify',
      summary: 'verify the signature of a payload, and explain a mismatch',
      load: () => import('./verify.ts'),
    },
  ],
  'Documents:': [
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
  ],
}

const programFlags = ['--help', '-h', '--version', '-V']

/** Returns the command that the arguments name: `serve` if they begin with one of its flags. */
const findCommandName = ([first = 'serve', second]: readonly string[]): string | undefined => {
  if (first === 'help') return second
  return first.startsWith('-') && !programFlags.includes(first) ? 'serve' : first
}

/** Changes a script for bash so that it passes on the typed words. It would evaluate them, and run commands in them. */
const passWords = (script: string): string => {
  const changes = [
    [/requestComp="(\S+ complete --) \$\{words\[@\]:1\}"/, 'requestComp=($1 "$${words[@]:1}")'],
    [/requestComp="\$requestComp ''"/, ': # The words end with an empty one.'],
    [/\$\(eval "\$requestComp" /, '$("$${requestComp[@]}" '],
  ] as const
  return changes.reduce((text, [pattern, replacement]) => {
    if (!pattern.test(text))
      throw new Error('The completion script has changed, and may evaluate what is typed.')
    return text.replace(pattern, replacement)
  }, script)
}

/** Adds `completion`, which prints a script for a shell, and `complete`, which the script calls. */
const addCompletion = async (program: Command, isCompletion: boolean): Promise<void> => {
  if (!isCompletion) {
    program
      .command('completion')
      .description('print a completion script for bash, zsh or fish')
      .helpGroup('Start:')
    return
  }
  const [{ default: tab }, { default: scripts }] = await Promise.all([
    import('@bomb.sh/tab/commander'),
    import('@bomb.sh/tab'),
  ])
  tab(program, { completionCommandName: 'completion' })
  const name = program.name()
  program.commands
    .find((command) => command.name() === 'completion')
    ?.action((shell: string) => {
      const print = console.log
      console.log = (script: string) => print(shell === 'bash' ? passWords(script) : script)
      try {
        scripts.setup(name, name, shell)
      } finally {
        console.log = print
      }
    })
}

/** Makes each usage error name the help of its own command. */
const nameHelp = (command: Command, path = command.name()): void => {
  command.showHelpAfterError(`(see ${path} --help)`)
  for (const inner of command.commands) nameHelp(inner, `${path} ${inner.name()}`)
}

/** Creates the program. Only the command that the arguments name is loaded; the others are only listed in the help. */
export const createProgram = async (args: readonly string[]): Promise<Command> => {
  const program = new Command('wabakit')
    .description('A server for the WhatsApp group and call-summary API, and tools for integrating it')
    .version(manifest.version)
    .enablePositionalOptions()
    .configureHelp({
      // Without "[options]", which every command has.
      subcommandTerm: (command) =>
        `${command.name()} ${command.usage().replace('[options]', '').trim()}`.trim(),
    })
    .addHelpText(
      'after',
      '\nExamples:\n  $ wabakit serve\n  $ wabakit trigger call\n  $ wabakit deliveries list --status pending,exhausted\n  $ source <(wabakit completion bash)\n\nExit codes: 0 success, 1 failure, 2 usage error, 3 server unreachable,\n4 inconclusive (doctor, acceptance).',
    )
    .exitOverride()
  const selected = findCommandName(args)
  const isCompletion = selected === 'complete' || selected === 'completion'
  for (const [group, commands] of Object.entries(groups)) {
    for (const { name, summary, load } of commands) {
      const isDefault = name === 'serve' && name === selected
      const command = program.command(name, { isDefault }).description(summary).helpGroup(group)
      if (name === selected || isCompletion) (await load()).define(command)
    }
  }
  await addCompletion(program, isCompletion)
  nameHelp(program)
  return program
}
