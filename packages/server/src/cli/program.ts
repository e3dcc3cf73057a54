import { Command } from 'commander'
import manifest from '../../package.json' with { type: 'json' }
import { addAcceptance } from './acceptance.ts'
import { addDocuments } from './commands/documents.ts'
import { addEvents } from './commands/events.ts'
import { addExec } from './commands/exec.ts'
import { addListen } from './commands/listen.ts'
import { addMigrateDatabase } from './commands/migrate-database.ts'
import { addReady } from './commands/ready.ts'
import { addResend } from './commands/resend.ts'
import { addServe } from './commands/serve.ts'
import { addSign } from './commands/sign.ts'
import { addTrigger } from './commands/trigger.ts'
import { addVerify } from './commands/verify.ts'
import type { ProgramContext } from './program-context.ts'

/** All commands of `wabakit`. What a command does is loaded when it runs. */
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
  addAcceptance(program, context)
  addDocuments(program)
  addReady(program)
  addMigrateDatabase(program)
  return program
}
