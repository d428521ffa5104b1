"""The table of all keys: those of the debug screen, of the edit screen, of the others, and of every screen.

Bindings, palette, help and docs/keys.md are made from it (``planscope.tui.keys``). It lists only actions that exist.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, cast

from planscope.frozen import frozen

Where = Literal[
    "debug", "edit", "dissect", "compare", "runs", "findings", "library", "campaign", "everywhere"
]
"""The screen that an action belongs to."""

PANES: tuple[str, ...] = ("query", "tree", "constraints", "timeline", "step")
"""The panes of the debug screen by their digit."""

DURING: dict[str, str] = {
    "search": "after a search",
    "undo": "while there is something to take back",
    "play": "in what-if play",
    "live": "while a run is in progress",
    "decide": "at a paused or a played call",
    "busy": "while it runs",
    "found": "at something that was found",
}
"""The modes of screens in which alone some actions work, in words."""

OLD_SHIFT_F = frozenset(f"f{n}" for n in range(13, 25))
"""Older terminals send F20 for Shift+F8."""


@frozen
class KeyAction:
    """One thing that a key does, or the palette alone.

    ``id`` names the action in users' key files. ``keys``: letters; ``aliases``: arrows; ``spare``: those that presets
    add. ``during``: the mode of the screen in which it works; always, if empty. ``group``: its part of the help.
    ``where``: the screen that has it. ``footer``: the lowest line names the key if there is room.
    ``verb``: what the key means, by default the title's first word; a key means the same on every screen (exceptions:
    ``DIFFERENT``). ``do``: the function that does it on the debug screen, such as ``navigate.go_start``
    (``screens/debug/``), which is imported with that screen; or Textual's name of the screen's action. Without it that
    name is the id with underscores. ``parameter`` goes to the function.
    """

    id: str
    keys: tuple[str, ...]
    title: str
    help: str
    group: str
    aliases: tuple[str, ...] = ()
    where: Where = "debug"
    footer: bool = False
    verb: str = ""
    do: str = ""
    parameter: str | None = None
    spare: tuple[str, ...] = ()
    during: str = ""

    @property
    def meaning(self) -> str:
        """The verb, which is equal for two actions that may share a key."""
        return self.verb or self.title.split()[0].lower()

    @property
    def all_keys(self) -> tuple[str, ...]:
        return self.keys + self.aliases

    @property
    def shown_keys(self) -> tuple[str, ...]:
        """The keys that help and documentation list: all but the codes that older terminals send for Shift+F-keys."""
        return tuple(key for key in self.all_keys if key not in OLD_SHIFT_F)

    @property
    def method(self) -> str:
        """The action as Textual writes it: ``do('next-call')``, ``open_run``, ``edit_pane('text')``."""
        return f"do('{self.id}')" if "." in self.do else self.do or self.id.replace("-", "_")


_TABLE = """
[debug: Stepping]
next-call              n or right ~ f8 f10     Next*                          modes.next_call
    Go to the next call; run the paused call.
previous-call          N or left ~ shift+f8 f20  Back*                          navigate.go previous_call
    Go to the previous call.
next-check             s ~ f7 f11              Next constraint                navigate.go next_check
    Go to the next constraint that this step changed; then to the next step.
previous-check         ~ S shift+f7 f19        Previous constraint            navigate.go previous_check
    Go to the previous constraint that changed.
continue               c ~ f5                  Continue                       modes.go_on
    Go to the next breakpoint or violation; let a paused run continue.
continue-back          ~ C shift+f5 f17        Continue back                  navigate.go_on back
    Go to the previous breakpoint or violation.
first-violation        f                       First violation* = violation   navigate.first_violation
    Go to the step that lost the plan; where nothing is lost, to the likely cause and to calls that failed.
go-start               home ~ g                Start                          navigate.go go_start
    Go to the state before the first call.
go-end                 end ~ G                 End                            navigate.go go_end
    Go to the end of the run.
go-to-step             ~ J                     Go to step                     navigate.go_to_step
    Enter a step's number and go there.

[debug: Breakpoints and watches]
toggle-breakpoint      b ~ f9                  Breakpoint                     marking.toggle_breakpoint
    Set or clear a breakpoint at this step.
list-breakpoints       B ~ shift+f9 f21        Breakpoints                    marking.list_breakpoints
    List, add and remove breakpoints.
watch                  ~ w                     Watch                          marking.watch
    Add or remove a watch expression.

[debug: Looking]
explain                x                       Explain*                       doors.explain
    Explain why the plan is lost: the conflict in plain words.
look                   space                   Look                           doors.look
    Show this step's values whole: what the model saw, said and got back. At step 0: what it was given.
search                 /                       Search                         navigate.search
    Search in query, calls, answers and constraints.
deselect               escape                  Deselect = leave               modes.escape
    Clear the selection; leave a zoomed pane.

[debug: Running]
edit                   e                       Edit                           doors.edit
    Change the query: its text, its actions, its limits; of a trace without a query, its rules.
write-rules            W                       Rules                          rules.write_rules
    Write rules about the calls, which judge every run of the session.
rerun                  r                       Rerun = run                    running.rerun
    Run the query again; choose agent and model.
fork                   F                       Fork                           running.fork
    Continue from this step with another answer, query or model.

[debug: Looking]
dissect                m                       Dissect                        doors.dissect
    Find out what in the query makes the agent fail.
compare                d                       Compare                        doors.compare
    Compare with another run or query, side by side.

[debug: Running]
play                   p                       What if                        playing.play
    Play the next calls yourself and see what becomes of the plan.

[debug: Panes]
show-pane-query        1                       Query pane = show              arranging.show_pane query
    Go to the query pane.
show-pane-tree         2                       Tree pane = show               arranging.show_pane tree
    Go to the tree pane.
show-pane-constraints  3                       Constraints pane = show        arranging.show_pane constraints
    Go to the constraints pane.
show-pane-timeline     4                       Timeline pane = show           arranging.show_pane timeline
    Go to the timeline pane.
show-pane-step         5                       Step pane = show               arranging.show_pane step
    Go to the step pane.
picture                ~ V                     Picture                        arranging.picture
    Draw in the tree's pane: the order of the actions, their hours, the calls of each agent; then the tree.
fold-calls             ~ (                     Fold                           arranging.fold_calls
    Fold the calls that a sub-agent made inside this call, or else the turns between calls; unfold them.
next-pane              tab                     Next pane                      arranging.next_pane 1
    Go to the next pane.
previous-pane          shift+tab               Previous pane                  arranging.next_pane -1
    Go to the previous pane.
zoom                   z                       Zoom                           arranging.zoom
    Fill the screen with this pane, or restore it.
narrower               ~ <                     Narrower                       arranging.grow <
    Make this pane narrower.
wider                  ~ >                     Wider                          arranging.grow >
    Make this pane wider; you can also drag borders.
lower                  ~ {                     Lower                          arranging.grow {
    Make this pane lower.
higher                 ~ }                     Higher                         arranging.grow }
    Make this pane higher.
hide-pane              ~ _                     Hide pane                      arranging.hide_pane
    Hide this pane; its digit shows it again.
toggle-inspector       ~ I                     Inspector                      arranging.toggle_inspector
    Show or hide the inspector.
reset-layout           ~ =                     Reset panes                    arranging.reset_layout
    Show all panes in their original sizes.

[debug: Session and screen]
show-command           ~ :                     Command                        arranging.show_command
    Show or hide, above the keys, the shell command that does what the last key did.
copy-command           ~ Y                     Copy command                   arranging.copy_command
    Copy the shell command that does what the last key did.
copy                   y                       Copy                           doors.copy
    Copy the pane's text, or write it to a file.
choose-run             o                       Runs = open                    doors.choose_run
    List the runs: search, filter, delete, where they were lost.
tools                  ~ t                     Findings                       doors.tools
    List what the fuzzer found in the agent's tools, and the steps that failed so.
next-failed-run        O                       Next failed run = open other   doors.next_failed_run
    Open the next run that is wrong, or that was graded 0.
save                   ~ ctrl+s                Save                           opening.save
    Save now; planscope also saves every change by itself.
share                  E                       Share                          doors.share
    Write this run to a file for others, with private values replaced.
library                L                       Library                        doors.library
    Open, make, rename and delete sessions.
campaigns              ~ #                     Campaigns                      doors.open_campaign
    Show a campaign: how often agents are right, over many queries.
describe               ~ D                     Describe                       doors.describe
    Read and change the session's title and notes.

[debug: Looking; search]
next-hit               h ~ f3                  Next hit                       navigate.hit next_hit
    Go to the next search hit.
previous-hit           H ~ shift+f3 f15        Previous hit                   navigate.hit previous_hit
    Go to the previous search hit.

[debug: Running; undo]
take-back              u or backspace          Take back = undo               playing.take_back
    Take back the last played call, deletion or change of the rules.

[debug: Running; play]
later-hour             +                       Later                          playing.change_hour 1
    Play the chosen call an hour later, or with the next arguments.
earlier-hour           -                       Earlier                        playing.change_hour -1
    Play it an hour earlier, or with the arguments before.
keep-play              K                       Keep                           playing.keep_play
    Keep the played calls as a run of the session.

[debug: Running; live]
pause-run              P                       Pause                          running.pause_run
    Pause the running agent before its next call.
stop-run               X                       Stop run                       running.stop_run
    Stop the running agent at once; its calls so far are kept.
answer-call            M                       Make answer                    deciding.answer_call
    Do not run the paused call; give the agent this answer.
refuse-call            R                       Refuse                         deciding.refuse_call
    Do not run the paused call, and tell the agent why.

[debug: Running; decide]
edit-arguments         a                       Edit arguments                 deciding.edit_arguments
    Change the arguments of the paused or the played call.
edit-answer            A                       Edit answer                    deciding.edit_answer
    Change the tool's answer to the paused or the played call.

[edit: Editing a query]
type-text              i                       Type*
    Type in the text; Esc stops typing.
run-draft              r or ctrl+r             Run*
    Keep the draft as a new variant and run it.
keep-draft             K or ctrl+s             Keep*
    Keep the draft as a new variant.
undo-edit              u                       Undo*
    Undo the last change of text or actions.
redo-edit              U or ctrl+y             Redo
    Redo the last change that was undone.
complete               ctrl+n                  Complete
    List what can come next, as Tab does while you type.
next-trouble           f                       Next problem* = violation
    Go to the next error or contradiction.
own-editor             ctrl+o                  Your editor
    Edit the text in your own $EDITOR.
add-action             +                       Add action
    Add an action to the query.
rename-action          D                       Rename = describe
    Rename the action and its tool, also in the text.
drop-action            -                       Drop action = remove
    Remove the action from the query.
set-hours              T                       Takes
    Change how many hours the action takes.
set-limits             l                       Limits
    Change a run's limits: seconds, model calls.
set-timed              t                       Timed
    Switch clock times and hours on or off.
start-over             0                       Start over
    Go back to the original query.
leave-edit             escape                  Leave*
    Stop typing; then leave. The draft is kept.

[edit: Panes]
edit-pane-text         1                       Query pane = show              edit_pane('text')
    Go to the text.
edit-pane-reading      2                       Reading pane = show            edit_pane('reading')
    Go to the errors or the contradiction.
edit-pane-constraints  3                       Constraints pane = show               edit_pane('constraints')
    Go to the constraints, compared with those before.
edit-pane-actions      4                       Actions pane = show            edit_pane('actions')
    Go to the actions and limits.
edit-next-pane         tab                     Next edit pane                  edit_turn(1)
    Go to the next pane.
edit-previous-pane     shift+tab               Previous edit pane              edit_turn(-1)
    Go to the previous pane.

[compare: Comparing]
next-difference        n ~ f8                  Next difference*               difference(1)
    Go to the next row that differs.
previous-difference    N ~ shift+f8 f20        Back*                          difference(-1)
    Go to the previous row that differs.
compare-calls          1                       Calls = show                   page('calls')
    Show the calls side by side.
compare-words          2                       Query = show                   page('words')
    Show the words of both queries.
compare-constraints    3                       Constraints = show             page('constraints')
    Show the constraints of both queries.
compare-facts          4 or 5                  Facts = show                   page('facts')
    Show agent, model, verdict and costs.
compare-next-page      tab                     Next page
    Go to the next page.
choose-left            [                       Choose left                    choose('left')
    Choose the run or query on the left.
choose-right           ]                       Choose right*                  choose('right')
    Choose the run or query on the right.
swap-sides             %                       Swap
    Swap left and right.
open-left              O                       Open left = open other         open(0)
    Open the left run in the debugger, at this step.
open-right             o                       Open right*                    open(1)
    Open the right run in the debugger, at this step.
look-on-row            space                   Scroll detail = look           look_on
    Scroll what happened at the row.
copy-comparison        y                       Copy
    Copy the comparison as text, without private values.
leave-compare          escape                  Leave*                         leave
    Go back to the debugger.

[dissect: Dissecting]
dissect-all            m                       Dissect*
    Run mutants until the cause is clear or the budget is spent.
dissect-cell           .                       One more run*
    Run this mutant once more; make one if there is none.
dissect-kind           *                       Several*
    Make and run several more mutants of this kind.
open-mutant            o                       Open*
    Open the mutant's last run in the debugger.
compare-mutant         d                       Compare*
    Compare the mutant with the original query.
compare-cured          Q                       Cured query
    Show a query that the agent gets right beside yours.
new-dissection         +                       New = add
    Start another dissection: agent, model, method.
other-dissection       O                       Earlier = open other
    Show another dissection of this session.
copy-dissection        y                       Copy
    Copy cause, rates and matrix, or write them to a file.
leave-dissect          escape                  Leave*                         leave
    Go back to the debugger; the dissection continues.

[dissect: Dissecting; busy]
stop-dissection        X                       Stop*
    Stop; finished runs are kept and counted.

[runs: Runs]
search-runs            /                       Search*                        search
    Search in number, id, verdict, error, step, model, query.
open-run               o                       Open*
    Open the run or query, as Enter does.
next-failure           f                       Next failure* = violation
    Go to the next run that is wrong, or that was graded 0.
filter-runs            v                       Filter*                        filter
    Show runs of one verdict, error, lost step, model or query.
delete-run             - delete                Delete* = remove
    Delete the run or query; u takes it back.
compare-run            d                       Compare
    Compare the run with the one in the debugger; at a cause, a run that has it with the nearest right one.
share-run              E                       Share
    Write this run, or the listed ones, to a file for others.
look-on-run            space                   Scroll run = look              look_on
    Scroll the calls of the chosen run.
runs-next-pane         tab                     Next pane                      next_list
    Go to the histogram of lost steps, and back.
leave-runs             escape                  Leave*                         end_search
    Clear search and filters; then go to the debugger.

[runs: Runs; undo]
take-back-run          u                       Take back* = undo
    Undo the last deletion.
empty-runs             Z                       Empty trash
    Delete for good what was deleted in this session.

[findings: Findings]
open-step              o                       Open step*
    Open a step of a run that failed so, as Enter does.
copy-reproducer        y                       Copy test*
    Copy a test that fails as the tool does, or write it to a file.
search-findings        /                       Search*                        search
    Search in tool, kind, message and place.
filter-findings        v                       Filter*                        filter
    Show findings of one tool, kind, or those that count.
reproduce-finding      .                       Reproduce* = one               reproduce
    Make the smallest call again in the sandbox, and say whether it still fails.
run-fuzzer             r                       Run*
    Fuzz tools: asks for the target, and shows the discovery curve while it runs.
hide-verdicts          _                       Hide verdicts
    Hide what planscope and the model concluded, in random order, so that it does not sway labels; show it.
look-on-finding        space                   Scroll* = look                 look_on
    Scroll the chosen finding.
leave-findings         escape                  Leave*
    Go back to the debugger.

[findings: Findings; found]
label-finding          l                       Label*
    Label the finding: true, false, none. The false discovery rate comes from the labels.
specify-finding        i                       Specified*
    Say how the documentation is at fault: under-, over- or ill-specified, nothing.

[findings: Findings; busy]
stop-fuzzer            X                       Stop
    Stop the search; what it found is kept.

[library: Library]
search-sessions        /                       Search*                        search
    Search in title, agent, model, verdict and error.
open-session           o                       Open*
    Open the session in the debugger, as Enter does.
new-session            +                       New* = add
    Make a new session: write your own query, or have a random one made.
rename-session         D                       Rename* = describe
    Change the session's name or title.
copy-session           y                       Copy*
    Copy the session into your library.
delete-session         - delete                Delete* = remove
    Move the session to the trash.
restore-session        u                       Restore* = undo
    Restore the chosen session, or the last one you deleted.
filter-verdict         v                       Verdict = filter               filter('verdict')
    Show only the sessions with one verdict.
filter-error           !                       Error type                     filter('error')
    Show only the sessions with one type of error.
sort-sessions          ,                       Sort
    Sort by date, title, verdict, model or size.
reverse-sessions       ;                       Reverse
    Reverse the order.
empty-trash            Z                       Empty trash*
    Delete the sessions in the trash for good.
show-all-sessions      1                       All = show                     place('all')
    Show your sessions and the bundled ones.
show-my-sessions       2                       Mine = show                    place('library')
    Show only your own sessions.
show-bundled-sessions  3                       Bundled = show                 place('bundled')
    Show only the sessions that ship with planscope.
show-trash             4                       Trash = show                   place('trash')
    Show deleted sessions.
copy-session-path      Y                       Copy path
    Send the path of the session's file to the clipboard.
look-on                space                   Scroll preview = look
    Scroll the preview of the chosen session.
leave-library          escape                  Leave*                         end_search
    Stop searching; then go back to the debugger.

[campaign: Campaign]
open-case              o                       Open*
    Open the chosen run in the debugger, as Enter does.
campaign-next-pane     tab                     Next pane*                     next_list
    Go from the table to its runs, and back.
run-campaign           r                       Run*
    Go on with the campaign, in a process of its own.
dissect-errors         m                       Dissect
    Find the causes of a sample of the errors.
show-curves            V                       Picture
    Show or hide the curves of the success rates.
next-wrong-case        f                       Next failure = violation
    Go to the next wrong run.
copy-table             y                       Copy
    Copy the table as text, or write it to a file.
other-campaign         O                       Other = open other
    Show another campaign.
show-rates             1                       Rates = show                   table('rates')
    Show the success rates by number of actions.
show-totals            2                       Totals = show                  table('totals')
    Show errors, Z3's checks, times and tokens.
show-error-types       3                       Errors = show                  table('errors')
    Show the types of errors.
show-causes            4                       Causes = show                  table('causes')
    Show the causes of dissected errors.
show-topics            5                       Topics = show                  table('topics')
    Show the topics with most errors.
leave-campaign         escape                  Leave*                         leave
    Go back to the debugger; the campaign runs on.

[campaign: Campaign; busy]
stop-campaign          X                       Stop*
    Stop the processes that run it; finished runs are kept.

[everywhere: Session and screen]
choose-theme           ~ ctrl+t                Theme
    Choose a theme, each as it looks.
palette                ctrl+p                  Palette
    Find an action by its name.
help                   ? or f1                 Help*
    Show all keys.
quit                   q or ctrl+q             Quit
    Quit planscope; asks first while a run is in progress.
"""
"""A section for each screen and part of its help, with the mode in which alone it works (``DURING``). A row: id;
letters, ``or`` other keys, ``~`` keys of presets; title, with a star if the footer names the key, and with its verb
after ``=``; the function, with its parameter. Columns are two blanks apart, and the next line is the help."""


def _read(table: str) -> Iterator[KeyAction]:
    lines = (line for line in table.splitlines() if line)
    where = group = during = ""
    for line in lines:
        if line.startswith("["):
            where, group = line.strip("[]").split(": ")
            group, _, during = group.partition("; ")
            continue
        id, keys, told, *does = re.split("  +", line)
        keys, _, spare = keys.partition("~")
        letters, _, aliases = keys.partition(" or ")
        title, _, verb = told.partition(" = ")
        do, _, parameter = does[0].partition(" ") if does and "." in does[0] else ("".join(does), "", "")
        yield KeyAction(
            id,
            tuple(letters.split()),
            title.rstrip("*"),
            next(lines).strip(),
            group,
            tuple(aliases.split()),
            cast("Where", where),
            title.endswith("*"),
            verb,
            do,
            parameter or None,
            tuple(spare.split()),
            during,
        )


ACTIONS = tuple(_read(_TABLE))

BY_ID: dict[str, KeyAction] = {action.id: action for action in ACTIONS}

DIFFERENT: tuple[tuple[str, Where, str], ...] = (
    (
        "+",
        "debug",
        "In what-if play + takes the chosen call's next hour or arguments; on other screens it adds something.",
    ),
    (
        "-",
        "debug",
        "In what-if play - takes the chosen call's hour or arguments before; on other screens it removes something.",
    ),
    ("l", "findings", "On the findings screen l goes round the labels; on the edit screen it sets limits."),
    (
        "i",
        "findings",
        "On the findings screen i says how the documentation is specified; on the edit screen it types.",
    ),
)
"""Keys that mean something else on one screen than on the others: key, screen, reason."""
