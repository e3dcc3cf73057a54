// Checks that the built types cost users' compilers little: a small program with a client and a receiver.
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const maxInstantiations = 3_000

const file = fileURLToPath(new URL('type-cost-program.ts', import.meta.url))
const program = ts.createProgram([file], {
  strict: true,
  skipLibCheck: true,
  noEmit: true,
  target: ts.ScriptTarget.ES2023,
  module: ts.ModuleKind.NodeNext,
  types: ['node'],
})
const errors = ts.getPreEmitDiagnostics(program)
const count = program.getInstantiationCount()
console.log(`Types: ${count} instantiations, at most ${maxInstantiations}; ${errors.length} errors`)
if (errors.length > 0 || count > maxInstantiations) process.exitCode = 1
