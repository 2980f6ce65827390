import { defineMessages } from '#contract/i18n/messages.ts';

/** How a command is called, and what is wrong with its arguments. */
export const argumentMessages = defineMessages('command-arguments', {
  usage: 'Usage: {call}',
  options: '[options]',
  help: 'Show this help',
  unknownOption: 'Unknown option {option}.',
  valueMissing: 'The option {option} needs a value.',
  noValue: 'The option {option} takes no value.',
  optionMissing: 'The option {option} is missing.',
  argumentMissing: 'The argument {name} is missing.',
  tooManyArguments:
    'Too many arguments: this command takes {max, plural, =0 {only options} one {# argument} other {# arguments}}.',
});
