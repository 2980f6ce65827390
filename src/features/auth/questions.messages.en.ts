import { defineMessages } from '#contract/i18n/messages.ts';

/** The security questions as users read them. The server identifies them by their first wording. */
export const questionMessages = defineMessages('questions', {
  firstSchool: 'What was the name of your first school?',
  firstPet: 'What was the name of your first pet?',
  parentsMet: 'In which town did your parents meet?',
  firstCar: 'What was the make of your first car?',
  childhoodStreet: 'What was the name of the street you grew up on?',
  favoriteDish: 'What was your favorite dish as a child?',
  favoriteTeacher: 'What was the last name of your favorite teacher?',
  firstConcert: 'What was the first concert you went to?',
  firstJob: 'In which town was your first job?',
  bestFriend: 'What was the name of your best friend at school?',
  firstMovie: 'What was the first movie you saw in a theater?',
  firstVacation: 'Where did you spend your first vacation?',
});
