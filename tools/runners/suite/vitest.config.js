export default {
  test: { globals: true, include: ['*.test.js'], environment: process.env.ENVIRONMENT },
}
