import { defineRuntimeTests } from './define-tests.ts'

defineRuntimeTests('built packages')
