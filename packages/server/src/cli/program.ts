import { Command, Option } from 'commander'
import manifest from '../../package.json' with { type: 'json' }
import { settings } from '../config/settings.ts'
import { CliError, exitCodes } from './cli-error.ts'
import {
  addServerOptions,
  collect,
  collectOf,
  formatOption,
  moment,
  option,
  seconds,
  serverOption,
} from './options.ts'
import { createOutput, type Format, type Output } from './output.ts'

/** What a command's action gets of the process. */
export type ProgramContext = {
  /** Aborts when the process is told to end. */
  readonly signal: AbortSignal
  /** Ends the process with this code, once the command is done. */
  exitWith(code: number): void
}

const examples = (...lines: readonly string[]): string =>
  `\nExamples:\n${lines.map((line) => `  $ wabakit ${line}`).join('\n')}`

const outputOf = ({ format }: { format: Format }): Output => createOutput(format)

/** Adds a flag for each setting of a server. Their variables and defaults are applied by `loadConfig`. */
const addSettings = (command: Command): Command => {
  for (const { flag, kind, about, form, variable, otherwise, default: value } of settings) {
    if (flag === undefined) continue
    const description = `${about} Must be ${form}. (default: ${otherwise ?? value}, env: ${variable})`
    const placeholder = kind === 'boolean' ? '[boolean]' : kind === 'number' ? '<number>' : '<text>'
    command.addOption(new Option(`${flag} ${placeholder}`, description.replaceAll('`', '')))
  }
  return command
    .option(
      '--config <file>',
      'JSON file with settings (default: wabakit.config.json if there is one, env: WABAKIT_CONFIG)',
    )
    .addOption(formatOption())
}

const addServe = (program: Command): void => {
  addSettings(program.command('serve', { isDefault: true }))
    // What is no command is taken for an argument of the default one.
    .allowExcessArguments()
    .description('run a server until SIGTERM or SIGINT (the default command)')
    .addHelpText(
      'after',
      examples(
        '',
        'serve --port 0 --database :memory:',
        'serve --webhook-url http://127.0.0.1:3000/webhooks',
      ),
    )
    .action(async ({ format, ...flags }, { args: [unknown] }) => {
      if (unknown !== undefined) {
        throw new CliError(`There is no command ${unknown}. See wabakit --help.`, exitCodes.usage)
      }
      await (await import('./commands/serve.ts')).serve(flags, outputOf({ format }))
    })
}

const addExec = (program: Command, { exitWith }: ProgramContext): void => {
  addSettings(program.command('exec'))
    .description('run a command beside a server of its own, found by WABAKIT_BASE_URL and WABAKIT_API_KEY')
    .argument('<command...>', 'what to run, after --')
    .addHelpText('after', examples('exec -- npm test'))
    .action(async (command, { format: _, ...flags }) => {
      exitWith(await (await import('./commands/exec.ts')).exec(command, flags))
    })
}

const addTrigger = (program: Command): void => {
  addServerOptions(program.command('trigger'))
    .description('play a whole call, or send one event')
    .argument('<what>', 'call, or the name of an event')
    .addOption(
      option('--set <path=value>', 'override a field; may be given several times').argParser(collect),
    )
    .addHelpText(
      'after',
      examples(
        'trigger call',
        'trigger call --set channel=WHATSAPP --set direction=OUTGOING --set durationInSeconds=42',
        'trigger call --set outcome=missed',
        'trigger GROUP_PARTICIPANT_JOINED --set groupId=order-1042',
      ),
    )
    .action(async (what, options) =>
      (await import('./commands/trigger.ts')).trigger(what, options, outputOf(options)),
    )
}

const addListen = (program: Command, { signal }: ProgramContext): void => {
  addServerOptions(program.command('listen'))
    .description('forward the events of a running server, signed, to a URL of this machine')
    .addOption(option('--forward-to <url>', 'where to forward').makeOptionMandatory())
    .addOption(
      option('--secret <secret>', 'secret to sign with; a random one is made and printed otherwise').env(
        'WABAKIT_WEBHOOK_SECRET',
      ),
    )
    .addHelpText('after', examples('listen --forward-to http://127.0.0.1:3000/webhooks'))
    .action(async (options) =>
      (await import('./commands/listen.ts')).listen(options, outputOf(options), signal),
    )
}

const addEvents = (program: Command, { signal }: ProgramContext): void => {
  const events = program.command('events').description('look at events')
  addServerOptions(events.command('tail'))
    .description('print a line for each event and each attempt to deliver one, as they happen')
    .addHelpText('after', examples('events tail', 'events tail --format json'))
    .action(async (options) =>
      (await import('./commands/events-tail.ts')).tailEvents(options, outputOf(options), signal),
    )
}

/** Those in which a delivery can be sent again. */
const statuses = ['pending', 'delivered', 'exhausted', 'skipped']

const addResend = (program: Command): void => {
  addServerOptions(program.command('resend'))
    .description('send a delivery again, or all of a range')
    .argument('[delivery]', 'id of the delivery')
    .addOption(option('--from <time>', 'from this time of the event on (ISO 8601)').argParser(moment))
    .addOption(option('--before <time>', 'before this time of the event (ISO 8601)').argParser(moment))
    .addOption(option('--event <id>', 'deliveries of this event'))
    .addOption(option('--subscription <id>', 'deliveries to this subscription'))
    .addOption(
      option('--status <status>', `${statuses.join(', ')}; may be given several times`).argParser(
        collectOf(statuses),
      ),
    )
    .addOption(
      option(
        '--new-webhook-id',
        'send under a new id, so that receivers handle again what they have handled',
      ),
    )
    .addHelpText(
      'after',
      examples('resend dlv_01K…', 'resend --status exhausted --from 2026-01-01T00:00:00Z'),
    )
    .action(async (id, options) =>
      (await import('./commands/resend.ts')).resend(id, options, outputOf(options)),
    )
}

const addSign = (program: Command): void => {
  program
    .command('sign')
    .description('sign a payload by Standard Webhooks, and print the headers to send with it')
    .argument('[file]', 'the payload; standard input when omitted or -')
    .addOption(option('--secret <secret>', 'whsec_…').env('WABAKIT_WEBHOOK_SECRET').makeOptionMandatory())
    .addOption(option('--id <id>', 'webhook-id (default: a random one)'))
    .addOption(option('--timestamp <seconds>', 'Unix time in seconds (default: now)').argParser(seconds))
    .addOption(formatOption())
    .addHelpText('after', examples('sign --secret whsec_… payload.json'))
    .action(async (file, options) =>
      (await import('./commands/sign.ts')).sign(file, options, outputOf(options)),
    )
}

const addVerify = (program: Command): void => {
  program
    .command('verify')
    .description('verify the signature of a payload, and say what is wrong with it')
    .argument('[file]', 'the payload; standard input when omitted or -')
    .addOption(
      option('--secret <secret>', 'whsec_…; may be given several times')
        .argParser(collect)
        .env('WABAKIT_WEBHOOK_SECRET')
        .makeOptionMandatory(),
    )
    .addOption(
      option('--header <header>', 'a header as "name: value"; may be given several times')
        .argParser(collect)
        .makeOptionMandatory(),
    )
    .addOption(option('--tolerance <seconds>', 'how old it may be (default: 300)').argParser(seconds))
    .addOption(formatOption())
    .addHelpText(
      'after',
      examples(
        'verify --secret whsec_… --header "webhook-id: …" --header "webhook-timestamp: …" --header "webhook-signature: …" payload.json',
      ),
    )
    .action(async (file, options) =>
      (await import('./commands/verify.ts')).verify(file, options, outputOf(options)),
    )
}

const addDocuments = (program: Command): void => {
  const descriptions = {
    openapi: 'print the OpenAPI 3.1 document of the two endpoints',
    asyncapi: 'print the AsyncAPI 3 document of the webhooks',
    schemas: 'print the JSON Schemas of everything said on the wire',
  } as const
  for (const name of ['openapi', 'asyncapi', 'schemas'] as const) {
    program
      .command(name)
      .description(descriptions[name])
      .addOption(formatOption())
      .addHelpText('after', examples(`${name} > ${name}.json`))
      .action(async (options) => {
        const { documents } = await import('./commands/documents.ts')
        const document = documents[name]()
        outputOf(options).result(document, JSON.stringify(document, undefined, 2))
      })
  }
}

const addReady = (program: Command): void => {
  program
    .command('ready')
    .description('tell whether a server is ready')
    .addOption(serverOption())
    .addOption(
      option('--wait [seconds]', 'wait until it is, for 30 seconds or as many as given').argParser(seconds),
    )
    .addOption(formatOption())
    .addHelpText('after', examples('ready --wait', 'ready --wait 5 --server http://127.0.0.1:4100'))
    .action(async ({ wait, ...options }) => {
      const waited = wait === true ? 30 : wait
      await (await import('./commands/ready.ts')).ready({ ...options, wait: waited }, outputOf(options))
    })
}

/** All commands of `wabakit`. Each is loaded when it runs. */
export const createProgram = (context: ProgramContext): Command => {
  const program = new Command('wabakit')
    .description('A server of the WhatsApp group and call-summary API, and tools for those who integrate it')
    .version(manifest.version)
    .enablePositionalOptions()
    .showHelpAfterError('(wabakit --help tells more)')
    .addHelpText('after', '\nExit codes: 0 ok, 1 failed, 2 wrong usage, 3 unreachable.')
  addServe(program)
  addExec(program, context)
  addTrigger(program)
  addListen(program, context)
  addEvents(program, context)
  addResend(program)
  addSign(program)
  addVerify(program)
  addDocuments(program)
  addReady(program)
  return program
}
