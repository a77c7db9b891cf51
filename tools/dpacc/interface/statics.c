#include "parser.h"

#include <stdlib.h>
#include <string.h>

static bool is_word(struct parser *p, CXTranslationUnit tu, CXToken token, const char *word)
{
    char *text = interface_parser_take_string(p, clang_getTokenSpelling(tu, token));
    bool is = text && strcmp(text, word) == 0;
    free(text);
    return is;
}

bool interface_parser_note_static(struct parser *p, CXCursor c)
{
    CXTranslationUnit tu = clang_Cursor_getTranslationUnit(c);
    CXFile file, begun;
    unsigned begin, end;
    clang_getExpansionLocation(clang_getRangeStart(clang_getCursorExtent(c)), &begun, NULL, NULL,
                               &begin);
    clang_getExpansionLocation(clang_getCursorLocation(c), &file, NULL, NULL, &end);
    if (!file || !begun || !clang_File_isEqual(file, begun) || begin >= end)
        return false;
    CXToken *tokens = NULL;
    unsigned count = 0;
    clang_tokenize(tu,
                   clang_getRange(clang_getLocationForOffset(tu, file, begin),
                                  clang_getLocationForOffset(tu, file, end)),
                   &tokens, &count);
    bool found = false;
    for (unsigned i = 0; i < count && !found; i++) {
        unsigned offset;
        clang_getExpansionLocation(clang_getTokenLocation(tu, tokens[i]), NULL, NULL, NULL,
                                   &offset);
        found = offset < end && clang_getTokenKind(tokens[i]) == CXToken_Keyword &&
                is_word(p, tu, tokens[i], IFGEN_STATIC);
        char *path = found ? interface_parser_take_string(p, clang_getFileName(file)) : NULL;
        if (path && !dpacc_ifgen_add_static(p->unit, path, offset))
            p->no_memory = true;
    }
    clang_disposeTokens(tu, tokens, count);
    return found;
}
