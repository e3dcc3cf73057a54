import { defineRuntimeTests } from './define-tests.ts'

defineRuntimeTests('sources')
