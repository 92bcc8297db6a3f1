export { invalid, Refusal } from '@longshore/kit/refusal'
