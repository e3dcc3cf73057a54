// Every framework in every language.
import './init.isolated.test.ts'
