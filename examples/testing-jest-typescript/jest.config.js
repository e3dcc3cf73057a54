// The packages are ES modules. jest 30.5 can require() them on Node 24.9 or later:
// node --experimental-vm-modules node_modules/jest/bin/jest.js
module.exports = { preset: 'ts-jest' }
