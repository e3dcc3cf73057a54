import '@wabakit/mock/vitest'
